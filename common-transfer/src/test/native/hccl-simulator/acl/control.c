#include <stdatomic.h>

#include "hccl_sim.h"
#include "sim.h"

static int32_t (*_Atomic cut_links)(const char *comm_name);

void sim_on_cut(int32_t (*cut)(const char *comm_name))
{
  atomic_store(&cut_links, cut);
}

int32_t hccl_sim_cut(const char *comm_name)
{
  int32_t (*cut)(const char *) = atomic_load(&cut_links);
  return cut == NULL ? 0 : cut(comm_name);
}

int32_t hccl_sim_reset(void)
{
  sim_forget_settings();
  sim_forget_rules();
  sim_forget_counters();
  sim_wake_streams();
  return (int32_t)(sim_counter_value(SIM_COMMS_ALIVE) + sim_counter_value(SIM_STREAMS_ALIVE) +
                   sim_counter_value(SIM_REGISTERED_ALIVE));
}
