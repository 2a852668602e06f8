#include "hccl.h"

static int32_t check_pair(struct comm *comm, const struct registration *registration, HcclComm comm_handle,
                          void *handle, int32_t device)
{
  if (comm == NULL) {
    return stale_comm(comm_handle);
  }
  if (registration == NULL) {
    return sim_misuse(SIM_STALE_HANDLE, HCCL_E_PARA, "%p is no registration, or was deregistered", handle);
  }
  if (comm->device != device || registration->device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA,
                      "%s is of device %d, the memory was registered on device %d, the thread is of device %d",
                      comm->name, comm->device, registration->device, device);
  }
  return 0;
}

static uint32_t position(const struct comm *comm, const struct registration *registration)
{
  uint32_t i = 0;
  while (i < comm->bound_count && comm->bound[i] != registration) {
    i++;
  }
  return i;
}

static int32_t check_bind(const struct comm *comm, const struct registration *registration)
{
  if (comm->state != COMM_NEW) {
    return sim_misuse(SIM_AFTER_FAILURE, HCCL_E_PARA, "%s: memory bound after prepare never reaches the peer",
                      comm->name);
  }
  if (position(comm, registration) < comm->bound_count) {
    return sim_reject(HCCL_E_PARA, "this memory is bound to %s already", comm->name);
  }
  return comm->bound_count < MAX_BOUND ? 0 : sim_fail(HCCL_E_UNAVAIL, "%s has %d memories bound", comm->name,
                                                      MAX_BOUND);
}

static int32_t attach(HcclComm comm_handle, void *handle, int32_t device)
{
  struct comm *comm = comm_of(comm_handle);
  struct registration *registration = registration_of(handle);
  int32_t result = check_pair(comm, registration, comm_handle, handle, device);
  if (result == 0) {
    result = check_bind(comm, registration);
  }
  if (result == 0) {
    comm->bound[comm->bound_count++] = registration;
    registration->bound++;
    sim_count(SIM_BINDS, 1);
    sim_count(SIM_BOUND_ALIVE, 1);
  }
  return result;
}

HcclResult HcclCommBindMem(HcclComm comm, void *handle)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclCommBindMem", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "comm=%s handle=%p", comm_word(comm), handle);
  }
  gate_enter("HcclCommBindMem");
  hccl_lock();
  int32_t result = attach(comm, handle, call.device);
  hccl_unlock();
  gate_leave();
  return sim_leave(&call, result, "comm=%s handle=%p", comm_word(comm), handle);
}

static int32_t detach(HcclComm comm_handle, void *handle, int32_t device)
{
  struct comm *comm = comm_of(comm_handle);
  struct registration *registration = registration_of(handle);
  int32_t result = check_pair(comm, registration, comm_handle, handle, device);
  if (result != 0) {
    return result;
  }
  if (comm->state == COMM_PREPARING) {
    return sim_misuse(SIM_STILL_IN_USE, HCCL_E_PARA, "unbind while a thread is in prepare of %s", comm->name);
  }
  uint32_t at = position(comm, registration);
  if (at == comm->bound_count) {
    return sim_reject(HCCL_E_PARA, "this memory is not bound to %s", comm->name);
  }
  comm->bound[at] = comm->bound[--comm->bound_count];
  registration->bound--;
  sim_count(SIM_UNBINDS, 1);
  sim_count(SIM_BOUND_ALIVE, -1);
  return 0;
}

/*
 * The caller may free the memory next, so nothing may still move: our own batches are dropped, the peer's are fenced
 * off. (The real library leaves the peer's access until the memory is deregistered.)
 */
static void quieten(HcclComm handle)
{
  struct comm *comm = handle;
  int owed = sim_owed(&comm->owed);
  if (owed > 0) {
    sim_misuse(SIM_UNSYNCHRONISED, 0, "memory of %s is unbound with %d batches that no synchronise followed",
               comm->name, owed);
  }
  sim_withdraw(comm);
  if (comm->link.page != NULL) {
    link_fence(&comm->link);
  }
}

HcclResult HcclCommUnbindMem(HcclComm comm, void *handle)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclCommUnbindMem", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "comm=%s handle=%p", comm_word(comm), handle);
  }
  gate_enter("HcclCommUnbindMem");
  hccl_lock();
  int32_t result = detach(comm, handle, call.device);
  hccl_unlock();
  if (result == 0) {
    quieten(comm);
  }
  gate_leave();
  return sim_leave(&call, result, "comm=%s handle=%p", comm_word(comm), handle);
}
