#include "hccl.h"

/* What the real library takes when it is told 0, and how long we bear with "for ever". */
enum { DEFAULT_TIMEOUT_S = 120 };

static int32_t check_arguments(const HcclPrepareConfig *config, int *timeout_s)
{
  if (config == NULL) {
    return sim_reject(HCCL_E_PTR, "prepare: no config");
  }
  if (config->topoType != HCCL_TOPO_FULL_MESH) {
    return sim_reject(HCCL_E_PARA, "prepare: topology %d", config->topoType);
  }
  if (config->rsvd0 != 0 || config->rsvd1 != 0 || config->rsvd2 != 0) {
    return sim_reject(HCCL_E_PARA, "prepare: reserved fields are not 0");
  }
  if (*timeout_s < -1) {
    return sim_reject(HCCL_E_PARA, "prepare: a time-out of %d s", *timeout_s);
  }
  if (*timeout_s <= 0) {
    sim_misuse(SIM_ENDLESS_WAIT, 0, "prepare with a time-out of %d s, which means the default or for ever", *timeout_s);
    *timeout_s = DEFAULT_TIMEOUT_S;
  }
  return 0;
}

static int32_t check_state(const struct comm *comm, int32_t device)
{
  if (comm->device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA, "%s is of device %d, the thread of device %d", comm->name,
                      comm->device, device);
  }
  if (comm->state == COMM_PREPARING) {
    return sim_misuse(SIM_STILL_IN_USE, HCCL_E_PARA, "another thread is in prepare of %s", comm->name);
  }
  if (comm->state == COMM_FAILED) {
    return sim_misuse(SIM_AFTER_FAILURE, HCCL_E_INTERNAL, "the prepare of %s failed before: destroy it", comm->name);
  }
  return 0;
}

static int32_t begin(HcclComm handle, int32_t device, struct comm **comm, bool *prepared)
{
  hccl_lock();
  *comm = comm_of(handle);
  int32_t result = *comm == NULL ? stale_comm(handle) : check_state(*comm, device);
  *prepared = result == 0 && (*comm)->state == COMM_PREPARED;
  if (result == 0 && !*prepared) {
    (*comm)->state = COMM_PREPARING;
  }
  hccl_unlock();
  return result;
}

static void finish(struct comm *comm, int32_t result)
{
  hccl_lock();
  comm->state = result == 0 ? COMM_PREPARED : COMM_FAILED;
  hccl_unlock();
  sim_count(result == 0 ? SIM_PREPARES : SIM_PREPARES_FAILED, 1);
}

static int32_t prepare(HcclComm handle, const HcclPrepareConfig *config, int timeout_s, int32_t device)
{
  struct comm *comm;
  bool prepared;
  int32_t result = check_arguments(config, &timeout_s);
  if (result == 0) {
    result = begin(handle, device, &comm, &prepared);
  }
  if (result == 0 && !prepared) {
    result = meet_peer(comm, sim_now_us() + (int64_t)timeout_s * 1000000);
    finish(comm, result);
  }
  return result;
}

/* An injected failure is a failure: the communicator is of no use, and keeps its name. */
static void spoil(HcclComm handle)
{
  hccl_lock();
  struct comm *comm = comm_of(handle);
  if (comm != NULL && comm->state == COMM_NEW) {
    comm->state = COMM_FAILED;
    sim_count(SIM_PREPARES_FAILED, 1);
  }
  hccl_unlock();
}

HcclResult HcclCommPrepare(HcclComm comm, const HcclPrepareConfig *config, int timeoutSeconds)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclCommPrepare", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    spoil(comm);
    return sim_leave(&call, call.result, "comm=%s seconds=%d", comm_word(comm), timeoutSeconds);
  }
  int32_t result = prepare(comm, config, timeoutSeconds, call.device);
  return sim_leave(&call, result, "comm=%s seconds=%d", comm_word(comm), timeoutSeconds);
}
