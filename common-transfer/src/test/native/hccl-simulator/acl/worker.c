#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "stream.h"

void owe(struct stream *stream, int *owed)
{
  struct debt *debt = stream->debts;
  while (debt != NULL && debt->owed != owed) {
    debt = debt->next;
  }
  if (debt == NULL) {
    debt = malloc(sizeof *debt);
    *debt = (struct debt){.next = stream->debts, .owed = owed};
    stream->debts = debt;
  }
  debt->batches++;
  (*owed)++;
}

int settle(struct stream *stream)
{
  int batches = 0;
  while (stream->debts != NULL) {
    struct debt *debt = stream->debts;
    stream->debts = debt->next;
    *debt->owed -= debt->batches;
    batches += debt->batches;
    free(debt);
  }
  return batches;
}

static bool given_up(const struct stream *stream)
{
  return stream->closing || stream->withdrawn;
}

/* The time that real hardware would take, so that bytes read without a synchronise are the old ones. */
static void await_turn(struct stream *stream)
{
  bool hang = sim_take_hang();
  uint64_t round = sim_hang_round();
  while (hang && !given_up(stream) && sim_hang_round() == round) {
    pthread_cond_wait(&stream->changed, &stream_lock);
  }
  struct timespec until = sim_instant(sim_now_us() + sim_delay_us("copy"));
  while (!given_up(stream) && pthread_cond_timedwait(&stream->changed, &stream_lock, &until) == 0) {
  }
}

static void run(struct stream *stream, struct sim_task *task)
{
  pthread_mutex_unlock(&stream_lock);
  int32_t error = task->run(task);
  pthread_mutex_lock(&stream_lock);
  if (error != 0) {
    stream->error = error;
    const char *why = sim_take_message();
    snprintf(stream->why, sizeof stream->why, "%s", why == NULL ? "a batch failed" : why);
  }
}

static void *work(void *argument)
{
  struct stream *stream = argument;
  pthread_mutex_lock(&stream_lock);
  while (!stream->closing) {
    struct sim_task *task = stream->first;
    if (task == NULL) {
      pthread_cond_wait(&stream->changed, &stream_lock);
      continue;
    }
    stream->first = task->next;
    stream->running = task;
    stream->withdrawn = false;
    await_turn(stream);
    if (!given_up(stream) && stream->error == 0) {
      run(stream, task);
    }
    stream->running = NULL;
    task->release(task);
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream_lock);
  return NULL;
}

/* The host process (a JVM) handles its signals on its own threads. */
bool start_worker(struct stream *stream)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&stream->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&stream->worker, NULL, work, stream) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}
