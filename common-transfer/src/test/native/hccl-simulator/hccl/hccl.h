/* Inside libhcomm.so. */
#ifndef HCCL_H
#define HCCL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sim.h"

#define MAX_BOUND 256

/* registry.c: process-wide registrations. Handles are never freed or used again: a stale one is recognised. */
struct registration {
  struct registration *next;
  bool alive;
  int32_t device;
  HcclMem memory;
  int bound;
};

/* Under the lock; NULL when the handle is no live registration. */
struct registration *registration_of(void *handle);

/* link.c: what a prepared communicator holds of its peer. */
struct link_page; /* shared by the two sides */

struct region {
  uintptr_t address; /* in the peer */
  uint64_t size;
  char *bytes; /* here; NULL: only reachable through the peer's pid */
  void *mapping;
  size_t mapping_size;
};

struct link {
  int socket; /* silent after prepare; its end of file says that the peer is gone */
  pid_t pid;
  uint32_t rank;
  struct link_page *page;
  struct region *regions;
  uint32_t region_count;
};

int link_new_page(void); /* a descriptor, -1 on failure */
bool link_map_page(struct link *link, int fd);
bool link_map_region(struct region *region, int fd, uint64_t offset);
/* 0 while the peer lives, else REMOTE (it destroyed its communicator) or NETWORK (it vanished). */
int32_t link_fault(const struct link *link);
/* Between them bytes may move; false: one side has fenced the link. */
bool link_begin_copy(struct link *link);
void link_end_copy(struct link *link);
bool link_fenced(const struct link *link);
/* After it returns, no byte of the peer lands here any more. */
void link_fence(struct link *link);
void link_cut(const struct link *link);
void link_close(struct link *link);
/* Where the simulator reaches the peer's memory; false: not inside one of the peer's bound regions. */
bool link_place(const struct link *link, const void *address, uint64_t size, struct sim_place *place);

/* comm.c */
enum comm_state { COMM_NEW, COMM_PREPARING, COMM_PREPARED, COMM_FAILED, COMM_DESTROYED };

struct comm {
  struct comm *next;
  enum comm_state state;
  char name[128];
  char word[128]; /* the name, fit for the log */
  uint32_t rank;
  int32_t device;
  uint64_t table_hash;
  int64_t buffer_bytes;
  struct registration *bound[MAX_BOUND];
  uint32_t bound_count;
  struct link link;
  int owed;
  _Atomic int32_t error; /* once set, it stays */
};

void hccl_lock(void);
void hccl_unlock(void);
/* Under the lock; NULL when the handle is no live communicator. */
struct comm *comm_of(HcclComm handle);
const char *comm_word(HcclComm handle);
int32_t stale_comm(HcclComm handle);

/* gate.c: the library's registry is not thread-safe; two callers inside at once are reported, and end the process. */
void gate_enter(const char *function);
void gate_leave(void);

/* config.c, ranktable.c: 0 or an HcclResult. */
struct comm_settings {
  char name[128];
  int64_t buffer_bytes;
};

int32_t read_config(const HcclCommConfig *config, struct comm_settings *settings);
int32_t check_rank_table(const char *text, uint32_t rank, int32_t physical_device);

/* rendezvous.c: meets the peer and fills the link, or fails by the deadline. */
int32_t meet_peer(struct comm *comm, int64_t deadline_us);

uint64_t hash_text(const char *text);

#endif
