#include <stdlib.h>
#include <string.h>

#include "hccl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct comm *comms;

void hccl_lock(void)
{
  pthread_mutex_lock(&lock);
}

void hccl_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

uint64_t hash_text(const char *text)
{
  uint64_t hash = 14695981039346656037ULL;
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
  }
  return hash;
}

static struct comm *known(HcclComm handle)
{
  struct comm *comm = comms;
  while (comm != NULL && comm != handle) {
    comm = comm->next;
  }
  return comm;
}

struct comm *comm_of(HcclComm handle)
{
  struct comm *comm = known(handle);
  return comm == NULL || comm->state == COMM_DESTROYED ? NULL : comm;
}

const char *comm_word(HcclComm handle)
{
  hccl_lock();
  const struct comm *comm = known(handle);
  hccl_unlock();
  return comm == NULL ? "-" : comm->word;
}

int32_t stale_comm(HcclComm handle)
{
  return handle == NULL ? sim_reject(HCCL_E_PTR, "the communicator is NULL")
                        : sim_misuse(SIM_STALE_HANDLE, HCCL_E_PARA, "%p is no communicator, or was destroyed", handle);
}

/* The real registry is keyed by device and name: a name stays taken until its communicator is destroyed. */
static int32_t check_name(const char *name, int32_t device)
{
  for (const struct comm *c = comms; c != NULL; c = c->next) {
    if (c->state != COMM_DESTROYED && c->device == device && strcmp(c->name, name) == 0) {
      return sim_misuse(SIM_NAME_EXISTS, HCCL_E_PARA, "comm name exists on device %d: %s (%s)", device, name,
                        c->state == COMM_FAILED
                            ? "its prepare failed, and it was not destroyed"
                            : "two nodes in one process need a device each");
    }
  }
  return 0;
}

static int32_t enlist(const struct comm_settings *settings, struct comm *fresh)
{
  hccl_lock();
  int32_t result = check_name(settings->name, fresh->device);
  if (result == 0 && !sim_reserve_device_memory(fresh->device, settings->buffer_bytes)) {
    result = sim_fail(HCCL_E_MEMORY, "device %d has no %lld MB left for a communicator's buffer", fresh->device,
                      (long long)(settings->buffer_bytes >> 20));
  }
  if (result == 0) {
    fresh->next = comms;
    comms = fresh;
  }
  hccl_unlock();
  return result;
}

static int32_t cut(const char *comm_name)
{
  int32_t links = 0;
  hccl_lock();
  for (const struct comm *c = comms; c != NULL; c = c->next) {
    if (c->state == COMM_PREPARED && (comm_name == NULL || strcmp(c->name, comm_name) == 0)) {
      link_cut(&c->link);
      links++;
    }
  }
  hccl_unlock();
  return links;
}

static int32_t create(const char *rank_table, uint32_t rank, const HcclCommConfig *config, int32_t device,
                      HcclComm *handle)
{
  if (rank_table == NULL || config == NULL || handle == NULL) {
    return sim_reject(HCCL_E_PTR, "init: rank table %p, config %p, comm %p", (const void *)rank_table,
                      (const void *)config, (void *)handle);
  }
  struct comm_settings settings;
  int32_t result = read_config(config, &settings);
  if (result == 0) {
    result = check_rank_table(rank_table, rank, sim_physical_device(device));
  }
  if (result != 0) {
    return result;
  }
  struct comm *fresh = calloc(1, sizeof *fresh);
  *fresh = (struct comm){.rank = rank, .device = device, .link = {.socket = -1}};
  strcpy(fresh->name, settings.name);
  sim_word(settings.name, fresh->word, sizeof fresh->word);
  fresh->table_hash = hash_text(rank_table);
  fresh->buffer_bytes = settings.buffer_bytes;
  result = enlist(&settings, fresh);
  if (result != 0) {
    free(fresh);
    return result;
  }
  sim_on_cut(cut);
  sim_count(SIM_COMMS_MADE, 1);
  sim_count(SIM_COMMS_ALIVE, 1);
  *handle = fresh;
  return 0;
}

HcclResult HcclCommInitClusterInfoMemConfig(const char *rankTable, uint32_t rank, HcclCommConfig *config,
                                            HcclComm *comm)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclCommInitClusterInfoMemConfig", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "rank=%u", rank);
  }
  gate_enter("HcclCommInitClusterInfoMemConfig");
  int32_t result = create(rankTable, rank, config, call.device, comm);
  gate_leave();
  return sim_leave(&call, result, "comm=%s rank=%u", result == 0 ? comm_word(*comm) : "-", rank);
}

/* What keeps a communicator from being destroyed; 0: nothing. */
static int32_t check_free(const struct comm *comm, int32_t device)
{
  if (comm->device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA, "%s is of device %d, the thread of device %d", comm->name,
                      comm->device, device);
  }
  if (comm->state == COMM_PREPARING) {
    return sim_misuse(SIM_STILL_IN_USE, HCCL_E_PARA, "%s is destroyed while a thread is in its prepare", comm->name);
  }
  if (comm->bound_count > 0) {
    return sim_misuse(SIM_STILL_IN_USE, HCCL_E_PARA, "%s is destroyed with %u memories bound", comm->name,
                      comm->bound_count);
  }
  return 0;
}

static void dismantle(struct comm *comm)
{
  int owed = sim_owed(&comm->owed);
  if (owed > 0) {
    sim_misuse(SIM_UNSYNCHRONISED, 0, "%s is destroyed with %d batches that no synchronise followed", comm->name,
               owed);
  }
  sim_withdraw(comm);
  if (comm->link.page != NULL) {
    link_fence(&comm->link);
  }
  link_close(&comm->link);
  sim_reserve_device_memory(comm->device, -comm->buffer_bytes);
  sim_count(SIM_COMMS_DESTROYED, 1);
  sim_count(SIM_COMMS_ALIVE, -1);
}

static int32_t destroy(HcclComm handle, int32_t device)
{
  hccl_lock();
  struct comm *comm = comm_of(handle);
  int32_t result = comm == NULL ? stale_comm(handle) : check_free(comm, device);
  if (result == 0) {
    comm->state = COMM_DESTROYED;
  }
  hccl_unlock();
  if (result == 0) {
    dismantle(comm);
  }
  return result;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclCommDestroy", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "comm=%s", comm_word(comm));
  }
  gate_enter("HcclCommDestroy");
  int32_t result = destroy(comm, call.device);
  gate_leave();
  return sim_leave(&call, result, "comm=%s", comm_word(comm));
}

static int32_t async_error(HcclComm handle, HcclResult *error)
{
  if (error == NULL) {
    return sim_reject(HCCL_E_PTR, "HcclGetCommAsyncError: no place for the error");
  }
  hccl_lock();
  struct comm *comm = comm_of(handle);
  int32_t result = comm == NULL ? stale_comm(handle) : 0;
  if (result == 0) {
    int32_t known_error = atomic_load(&comm->error);
    if (known_error == 0 && comm->state == COMM_PREPARED) {
      known_error = link_fault(&comm->link);
      atomic_store(&comm->error, known_error);
    }
    *error = known_error;
  }
  hccl_unlock();
  return result;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclGetCommAsyncError", SIM_HCCL, SIM_NEEDS_NOTHING)) {
    return sim_leave(&call, call.result, "comm=%s", comm_word(comm));
  }
  int32_t result = async_error(comm, asyncError);
  return sim_leave(&call, result, "comm=%s error=%d", comm_word(comm), result == 0 ? *asyncError : 0);
}
