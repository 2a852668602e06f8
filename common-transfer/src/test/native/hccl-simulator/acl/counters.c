#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "hccl_sim.h"
#include "sim.h"

static const char *const counter_names[SIM_COUNTERS] = {
    [SIM_COMMS_MADE] = "comms_made",
    [SIM_COMMS_DESTROYED] = "comms_destroyed",
    [SIM_COMMS_ALIVE] = "comms_alive",
    [SIM_REGISTERED_ALIVE] = "registered_alive",
    [SIM_REGISTRATIONS] = "registrations",
    [SIM_DEREGISTRATIONS] = "deregistrations",
    [SIM_BOUND_ALIVE] = "bound_alive",
    [SIM_BINDS] = "binds",
    [SIM_UNBINDS] = "unbinds",
    [SIM_PREPARES] = "prepares",
    [SIM_PREPARES_FAILED] = "prepares_failed",
    [SIM_PUTS] = "puts",
    [SIM_GETS] = "gets",
    [SIM_DESCRIPTORS] = "descriptors",
    [SIM_BYTES_PUT] = "bytes_put",
    [SIM_BYTES_GOT] = "bytes_got",
    [SIM_COPIES_FAILED] = "copies_failed",
    [SIM_SYNCHRONISES] = "synchronises",
    [SIM_SYNCHRONISE_TIMEOUTS] = "synchronise_timeouts",
    [SIM_STREAMS_ALIVE] = "streams_alive",
    [SIM_DEVICE_ALLOCATIONS_ALIVE] = "device_allocations_alive",
    [SIM_HOST_ALLOCATIONS_ALIVE] = "host_allocations_alive",
    [SIM_DEVICE_BYTES] = "device_bytes",
    [SIM_FENCE_TIMEOUTS] = "fence_timeouts",
};

static const char *const misuse_names[SIM_MISUSE_KINDS] = {
    [SIM_NO_DEVICE] = "no_device",
    [SIM_WRONG_DEVICE] = "wrong_device",
    [SIM_RACE] = "race",
    [SIM_UNSYNCHRONISED] = "unsynchronised",
    [SIM_ENDLESS_WAIT] = "endless_wait",
    [SIM_STALE_HANDLE] = "stale_handle",
    [SIM_STILL_IN_USE] = "still_in_use",
    [SIM_REGISTERED_TWICE] = "registered_twice",
    [SIM_NAME_EXISTS] = "name_exists",
    [SIM_AFTER_FAILURE] = "after_failure",
    [SIM_BAD_ARGUMENT] = "bad_argument",
};

static _Atomic int64_t counters[SIM_COUNTERS];
static _Atomic int64_t misuses[SIM_MISUSE_KINDS];
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;
static char last_misuse[400];

/* They tell what exists, not what happened. */
static bool is_gauge(int counter)
{
  return counter == SIM_DEVICE_BYTES || strstr(counter_names[counter], "_alive") != NULL;
}

void sim_count(enum sim_counter counter, int64_t change)
{
  atomic_fetch_add(&counters[counter], change);
}

int64_t sim_counter_value(enum sim_counter counter)
{
  return atomic_load(&counters[counter]);
}

const char *sim_misuse_name(enum sim_misuse_kind kind)
{
  return misuse_names[kind];
}

void sim_count_misuse(enum sim_misuse_kind kind, const char *message)
{
  atomic_fetch_add(&misuses[kind], 1);
  pthread_mutex_lock(&last_lock);
  snprintf(last_misuse, sizeof last_misuse, "%s: %s", misuse_names[kind], message);
  pthread_mutex_unlock(&last_lock);
}

void sim_forget_counters(void)
{
  for (int i = 0; i < SIM_COUNTERS; i++) {
    if (!is_gauge(i)) {
      atomic_store(&counters[i], 0);
    }
  }
  for (int i = 0; i < SIM_MISUSE_KINDS; i++) {
    atomic_store(&misuses[i], 0);
  }
  pthread_mutex_lock(&last_lock);
  last_misuse[0] = '\0';
  pthread_mutex_unlock(&last_lock);
}

int64_t hccl_sim_counter(const char *name)
{
  for (int i = 0; name != NULL && i < SIM_COUNTERS; i++) {
    if (strcmp(counter_names[i], name) == 0) {
      return atomic_load(&counters[i]);
    }
  }
  return -1;
}

int64_t hccl_sim_misuse(const char *kind)
{
  int64_t total = 0;
  for (int i = 0; i < SIM_MISUSE_KINDS; i++) {
    if (kind != NULL && strcmp(misuse_names[i], kind) == 0) {
      return atomic_load(&misuses[i]);
    }
    total += atomic_load(&misuses[i]);
  }
  return kind == NULL ? total : -1;
}

const char *hccl_sim_last_misuse(void)
{
  static _Thread_local char copy[sizeof last_misuse];
  pthread_mutex_lock(&last_lock);
  memcpy(copy, last_misuse, sizeof copy);
  pthread_mutex_unlock(&last_lock);
  return copy;
}
