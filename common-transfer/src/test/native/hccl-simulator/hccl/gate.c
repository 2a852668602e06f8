#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl.h"

/* Even a race that is only recorded must not corrupt the simulator: the late one waits. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const char *) inside;

static void report_race(const char *function)
{
  const char *other = atomic_load(&inside);
  sim_misuse(SIM_RACE, 0, "%s entered while another thread is in %s: the registry is not thread-safe", function,
             other == NULL ? "it" : other);
  fprintf(stderr, "hccl-simulator: RACE: %s\n", sim_peek_message());
  if (strcmp(sim_setting("HCCL_SIM_ON_RACE", "abort"), "record") != 0) {
    abort();
  }
}

void gate_enter(const char *function)
{
  if (pthread_mutex_trylock(&gate) != 0) {
    report_race(function);
    pthread_mutex_lock(&gate);
  }
  atomic_store(&inside, function);
  sim_nap_us(sim_delay_us("gate"));
}

void gate_leave(void)
{
  atomic_store(&inside, NULL);
  pthread_mutex_unlock(&gate);
}
