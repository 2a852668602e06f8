#include "sim.h"

int64_t sim_now_us(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct timespec sim_instant(int64_t at_us)
{
  return (struct timespec){.tv_sec = at_us / 1000000, .tv_nsec = at_us % 1000000 * 1000};
}

void sim_nap_us(int64_t micros)
{
  if (micros > 0) {
    struct timespec until = sim_instant(sim_now_us() + micros);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
  }
}
