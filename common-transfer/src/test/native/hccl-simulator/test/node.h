/* One side of a pair, as a test drives it. */
#ifndef NODE_H
#define NODE_H

#include <pthread.h>
#include <stdbool.h>

#include "ascend_abi.h"
#include "hccl_sim.h"

#define MIB ((size_t)1 << 20)
#define BUFFER (2 * MIB)

enum { DEVICE_AREA, PINNED_AREA, FOREIGN_AREA, AREAS };

struct node {
  uint32_t rank;
  int32_t device;
  HcclComm comm;
  aclrtStream stream;
  char *area[AREAS]; /* BUFFER bytes each, registered and bound */
  void *handle[AREAS];
  int32_t prepared;  /* what its prepare returned */
  pthread_t thread;
  int timeout_s;
};

extern const char *const pair_table;

void start_acl(int32_t device);
HcclCommConfig config_named(const char *name);
/* aclInit, device, memory, communicator, stream; everything but prepare. */
struct node node_new(const char *name, uint32_t rank, int32_t device);
int32_t node_prepare(struct node *node, int timeout_s);
/* Prepares in a thread of its own. */
void node_prepare_aside(struct node *node, int timeout_s);
void node_await(struct node *node);
/* Two prepared nodes in this process, on devices 0 and 1. The calling thread has device 0 afterwards. */
void pair_new(const char *name, struct node *zero, struct node *one);
void node_enter(const struct node *node);
void node_leave_comm(struct node *node);
void node_free(struct node *node);

double seconds(void);
/* Returns when some rank 0 listens in this test's rendezvous folder. */
void await_listener(void);

int32_t put(struct node *node, const void *local, const void *remote, uint64_t count);
int32_t get(struct node *node, void *local, const void *remote, uint64_t count);
int32_t settle(struct node *node);
void fill(struct node *node, int area, int value);
/* True when the first `count` bytes of an area all are `value`. */
bool holds(struct node *node, int area, int value, size_t count);

#endif
