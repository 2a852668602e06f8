/* A stream and its worker; inside libascendcl.so only. */
#ifndef STREAM_H
#define STREAM_H

#include "sim.h"

/* How many of an owner's batches this stream got since its last synchronise. */
struct debt {
  struct debt *next;
  int *owed;
  int batches;
};

/* Handles are never freed or used again, so that a stale one is told from a fresh one. */
struct stream {
  struct stream *next;
  bool alive;
  bool closing;
  bool withdrawn; /* the running batch's owner gave it up */
  int32_t device;
  pthread_t worker;
  pthread_cond_t changed;
  struct sim_task *first;
  struct sim_task *last;
  struct sim_task *running;
  int waiting_threads;
  int32_t error;
  char why[400];
  struct debt *debts;
};

/* Guards all streams, their tasks and debts. */
extern pthread_mutex_t stream_lock;

/* worker.c */
bool start_worker(struct stream *stream);
/* Under the lock: one more batch of this owner to be synchronised; all of them are. */
void owe(struct stream *stream, int *owed);
int settle(struct stream *stream);

#endif
