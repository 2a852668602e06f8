/* What the simulator's two libraries share. libascendcl.so holds the state; libhcomm.so builds on these functions. */
#ifndef SIM_H
#define SIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "ascend_abi.h"

#define SIM_HUGE_PAGE ((size_t)2 << 20)

/* ACL's codes, as far as the simulator answers with them. */
enum {
  ACL_ERROR_INVALID_PARAM = 100000,
  ACL_ERROR_UNINITIALIZE = 100001,
  ACL_ERROR_REPEAT_INITIALIZE = 100002,
  ACL_ERROR_RT_PARAM_INVALID = 107000,
  ACL_ERROR_RT_INVALID_DEVICEID = 107001,
  ACL_ERROR_RT_CONTEXT_NULL = 107002,
  ACL_ERROR_RT_STREAM_CONTEXT = 107003,
  ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
  ACL_ERROR_DEVICE_ADDRESS_UNALIGNED = 503900,
  ACL_ERROR_RT_STREAM_SYNC_TIMEOUT = 507046,
  ACL_ERROR_RT_SUSPECT_REMOTE_ERROR = 507057,
  ACL_ERROR_RT_DRV_INTERNAL_ERROR = 507899
};

enum sim_misuse_kind {
  SIM_NO_DEVICE,
  SIM_WRONG_DEVICE,
  SIM_RACE,
  SIM_UNSYNCHRONISED,
  SIM_ENDLESS_WAIT,
  SIM_STALE_HANDLE,
  SIM_STILL_IN_USE,
  SIM_REGISTERED_TWICE,
  SIM_NAME_EXISTS,
  SIM_AFTER_FAILURE,
  SIM_BAD_ARGUMENT,
  SIM_MISUSE_KINDS
};

enum sim_counter {
  SIM_COMMS_MADE,
  SIM_COMMS_DESTROYED,
  SIM_COMMS_ALIVE,
  SIM_REGISTERED_ALIVE,
  SIM_REGISTRATIONS,
  SIM_DEREGISTRATIONS,
  SIM_BOUND_ALIVE,
  SIM_BINDS,
  SIM_UNBINDS,
  SIM_PREPARES,
  SIM_PREPARES_FAILED,
  SIM_PUTS,
  SIM_GETS,
  SIM_DESCRIPTORS,
  SIM_BYTES_PUT,
  SIM_BYTES_GOT,
  SIM_COPIES_FAILED,
  SIM_SYNCHRONISES,
  SIM_SYNCHRONISE_TIMEOUTS,
  SIM_STREAMS_ALIVE,
  SIM_DEVICE_ALLOCATIONS_ALIVE,
  SIM_HOST_ALLOCATIONS_ALIVE,
  SIM_DEVICE_BYTES,
  SIM_FENCE_TIMEOUTS,
  SIM_COUNTERS
};

#pragma GCC visibility push(default)

/* call.c: the frame of every ABI call. */
enum sim_needs { SIM_NEEDS_NOTHING, SIM_NEEDS_DEVICE };

enum sim_library { SIM_ACL, SIM_HCCL };

struct sim_call {
  const char *function;
  int32_t result;
  int32_t device;
  int64_t started_us;
};

/* Delays, injected failures, lost and missing devices. False: the call ends here, with call->result. */
bool sim_enter(struct sim_call *call, const char *function, enum sim_library library, enum sim_needs needs);

/* Writes the log line; returns the result. The format adds key=value pairs. */
int32_t sim_leave(const struct sim_call *call, int32_t result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* errors.c: each returns `code`, after remembering the message for this thread's aclGetRecentErrMsg. */
int32_t sim_fail(int32_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int32_t sim_misuse(enum sim_misuse_kind kind, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define sim_reject(code, ...) sim_misuse(SIM_BAD_ARGUMENT, code, __VA_ARGS__)
/* The thread's last message, NULL when there is none; taking it forgets it. */
const char *sim_take_message(void);
const char *sim_peek_message(void);

/* counters.c */
void sim_count(enum sim_counter counter, int64_t change);
int64_t sim_counter_value(enum sim_counter counter);
void sim_count_misuse(enum sim_misuse_kind kind, const char *message);
const char *sim_misuse_name(enum sim_misuse_kind kind);

/* log.c: one line per call, written whole; time, pid and tid are put in front. */
void sim_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Copies a text so that it is one word of a log line. */
const char *sim_word(const char *text, char *buffer, size_t size);

/* settings.c: an overridden or environment variable. */
const char *sim_setting(const char *name, const char *otherwise);
int64_t sim_setting_number(const char *name, int64_t otherwise);

/* rules.c: failure injection. */
int32_t sim_take_failure(const char *what);
int32_t sim_delay_us(const char *what);
bool sim_take_hang(void);
uint64_t sim_hang_round(void);
int32_t sim_lost_device_code(int32_t device);

/* time.c: monotonic time. */
int64_t sim_now_us(void);
struct timespec sim_instant(int64_t at_us);
void sim_nap_us(int64_t micros);

/* runtime.c */
bool sim_initialised(void);
int32_t sim_thread_device(void); /* -1: none */
int32_t sim_device_count(void);
int32_t sim_physical_device(int32_t logic);

/* memory.c */
enum sim_memory_kind { SIM_UNKNOWN_MEMORY, SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY, SIM_BROKEN_RANGE };

struct sim_memory {
  enum sim_memory_kind kind;
  int32_t device;
  int fd;
  uint64_t offset; /* of the asked range in fd */
  char *bytes;     /* where the simulator itself reads and writes that range */
};

/* SIM_UNKNOWN_MEMORY: not from aclrtMalloc or aclrtMallocHost; SIM_BROKEN_RANGE: only partly inside one of them. */
struct sim_memory sim_find_memory(const void *address, size_t size);
/* While held (registered), an allocation cannot be freed. */
void sim_hold_memory(const void *address, int change);
/* Takes device memory that nobody touches (a communicator's buffers); false: the device is full. */
bool sim_reserve_device_memory(int32_t device, int64_t bytes);

/* copy.c */
struct sim_place {
  pid_t pid; /* 0: mapped by the simulator itself, always accessible; else memory of that process, perhaps gone */
  char *address;
};

/* 0, or an errno. */
int sim_copy(struct sim_place to, struct sim_place from, size_t count);
struct sim_place sim_place_of(const void *address, size_t count);

/* stream.c */
struct sim_task {
  int32_t (*run)(struct sim_task *task);
  void (*release)(struct sim_task *task);
  const void *owner;
  int *owed; /* how many batches of the owner no synchronise has followed yet; guarded by the streams' lock */
  struct sim_task *next;
};

/* 0, or an ACL error: stale stream, other device, dead stream. On success the stream owns the task. */
int32_t sim_submit(aclrtStream stream, struct sim_task *task);
/* Drops an owner's waiting batches on all streams, and returns when none of them is running. */
void sim_withdraw(const void *owner);
int sim_owed(const int *owed);

/* control.c: how hccl_sim_cut reaches the communicators. */
void sim_on_cut(int32_t (*cut)(const char *comm_name));

#pragma GCC visibility pop

/* Inside libascendcl.so only. */
void sim_forget_rules(void);
void sim_forget_settings(void);
void sim_forget_counters(void);
void sim_wake_streams(void);

#endif
