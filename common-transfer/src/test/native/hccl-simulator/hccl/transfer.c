#include <stdlib.h>
#include <string.h>

#include "hccl.h"

enum { PIECE = 1 << 20, DEFAULT_MAX_DESCRIPTORS = 256 };

struct move {
  struct sim_place to;
  struct sim_place from;
  uint64_t count;
};

struct batch {
  struct sim_task task; /* first, so that the stream's pointer is ours */
  struct comm *comm;
  bool put;
  uint32_t moves_count;
  uint64_t bytes;
  struct move moves[];
};

/* Between two pieces the peer may fence the link: then the rest stays behind, as on a torn connection. */
static int32_t carry(struct link *link, const struct move *move)
{
  for (uint64_t done = 0; done < move->count; done += PIECE) {
    if (link_fenced(link)) {
      return sim_fail(HCCL_E_REMOTE, "the peer destroyed its communicator during a batch");
    }
    struct sim_place to = {move->to.pid, move->to.address + done};
    struct sim_place from = {move->from.pid, move->from.address + done};
    uint64_t left = move->count - done;
    int error = sim_copy(to, from, left < PIECE ? left : PIECE);
    if (error != 0) {
      return sim_fail(HCCL_E_NETWORK, "the bytes could not be moved: %s", strerror(error));
    }
  }
  return 0;
}

static int32_t check_peer(const struct link *link)
{
  int32_t fault = link_fault(link);
  if (fault == HCCL_E_REMOTE) {
    return sim_fail(fault, "the peer destroyed its communicator");
  }
  return fault == 0 ? 0 : sim_fail(fault, "the peer is gone");
}

static int32_t carry_all(struct batch *batch)
{
  struct link *link = &batch->comm->link;
  int32_t result = check_peer(link);
  if (result == 0 && !link_begin_copy(link)) {
    return sim_fail(HCCL_E_REMOTE, "the link is fenced");
  }
  if (result != 0) {
    return result;
  }
  for (uint32_t i = 0; i < batch->moves_count && result == 0; i++) {
    result = carry(link, &batch->moves[i]);
  }
  link_end_copy(link);
  /* Shared memory takes bytes for a dead peer too; the wire would not. */
  return result == 0 ? check_peer(link) : result;
}

static void remember_error(struct comm *comm, int32_t code)
{
  int32_t none = 0;
  bool of_hccl = code > 0 && code < 1000;
  atomic_compare_exchange_strong(&comm->error, &none, of_hccl ? code : (int32_t)HCCL_E_RUNTIME);
}

static int32_t stream_code(int32_t code)
{
  bool as_acl = strcmp(sim_setting("HCCL_SIM_STREAM_ERRORS", "hccl"), "acl") == 0;
  return as_acl ? (int32_t)ACL_ERROR_RT_SUSPECT_REMOTE_ERROR : code;
}

static int32_t run(struct sim_task *task)
{
  struct batch *batch = (struct batch *)task;
  int64_t started = sim_now_us();
  int32_t result = sim_take_failure("copy");
  bool injected = result != 0;
  result = injected ? sim_fail(result, "failure injected into a batch") : carry_all(batch);
  sim_log("event=copy comm=%s op=%s descriptors=%u bytes=%llu result=%d us=%lld", batch->comm->word,
          batch->put ? "put" : "get", batch->moves_count, (unsigned long long)batch->bytes, result,
          (long long)(sim_now_us() - started));
  if (result == 0) {
    sim_count(batch->put ? SIM_BYTES_PUT : SIM_BYTES_GOT, (int64_t)batch->bytes);
    return 0;
  }
  sim_count(SIM_COPIES_FAILED, 1);
  remember_error(batch->comm, result);
  return injected ? result : stream_code(result);
}

static void release(struct sim_task *task)
{
  free(task);
}

static bool bound_here(const struct comm *comm, const void *address, uint64_t size)
{
  uintptr_t from = (uintptr_t)address;
  for (uint32_t i = 0; i < comm->bound_count; i++) {
    const HcclMem *memory = &comm->bound[i]->memory;
    uintptr_t start = (uintptr_t)memory->addr;
    if (from >= start && size <= memory->size && from - start <= memory->size - size) {
      return true;
    }
  }
  return false;
}

static int32_t plan_move(struct batch *batch, uint32_t index, const HcclOneSideOpDesc *descriptor)
{
  if (descriptor->dataType != HCCL_DATA_UINT8) {
    return sim_reject(HCCL_E_PARA, "descriptor %u: data type %d instead of 7 (UINT8)", index, descriptor->dataType);
  }
  if (descriptor->localAddr == NULL || descriptor->remoteAddr == NULL || descriptor->count == 0) {
    return sim_reject(HCCL_E_PARA, "descriptor %u: local %p, remote %p, %llu bytes", index, descriptor->localAddr,
                      descriptor->remoteAddr, (unsigned long long)descriptor->count);
  }
  if (!bound_here(batch->comm, descriptor->localAddr, descriptor->count)) {
    return sim_reject(HCCL_E_PARA, "descriptor %u: local %p+%llu is not in memory bound to %s", index,
                      descriptor->localAddr, (unsigned long long)descriptor->count, batch->comm->name);
  }
  struct sim_place remote;
  if (!link_place(&batch->comm->link, descriptor->remoteAddr, descriptor->count, &remote)) {
    return sim_reject(HCCL_E_PARA, "descriptor %u: remote %p+%llu is not in memory that the peer bound to %s", index,
                      descriptor->remoteAddr, (unsigned long long)descriptor->count, batch->comm->name);
  }
  struct sim_place local = sim_place_of(descriptor->localAddr, descriptor->count);
  batch->moves[index] = batch->put ? (struct move){remote, local, descriptor->count}
                                   : (struct move){local, remote, descriptor->count};
  batch->bytes += descriptor->count;
  return 0;
}

static int32_t check_comm(const struct comm *comm, uint32_t remote_rank, int32_t device)
{
  if (comm->device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA, "%s is of device %d, the thread of device %d", comm->name,
                      comm->device, device);
  }
  if (comm->state != COMM_PREPARED) {
    return sim_reject(HCCL_E_PARA, "%s is not prepared", comm->name);
  }
  if (remote_rank != 1 - comm->rank) {
    return sim_reject(HCCL_E_PARA, "remote rank %u; the peer of %s is rank %u", remote_rank, comm->name,
                      1 - comm->rank);
  }
  int32_t error = atomic_load(&comm->error);
  return error == 0 ? 0 : sim_fail(error, "%s is dead: an earlier batch failed, or its peer is gone", comm->name);
}

struct request {
  HcclComm comm;
  bool put;
  uint32_t remote_rank;
  const HcclOneSideOpDesc *descriptors;
  uint32_t count;
  aclrtStream stream;
  int32_t device;
};

static int32_t check_request(const struct request *request)
{
  if (request->comm == NULL || request->descriptors == NULL || request->stream == NULL) {
    return sim_reject(HCCL_E_PTR, "batch: comm %p, descriptors %p, stream %p", request->comm,
                      (const void *)request->descriptors, request->stream);
  }
  int64_t most = sim_setting_number("HCCL_SIM_MAX_DESCRIPTORS", DEFAULT_MAX_DESCRIPTORS);
  if (request->count == 0 || request->count > most) {
    return sim_reject(HCCL_E_PARA, "batch: %u descriptors; 1 to %lld are possible", request->count, (long long)most);
  }
  return 0;
}

static int32_t submit(const struct request *request, struct batch *batch)
{
  int32_t result = sim_submit(request->stream, &batch->task);
  if (result == ACL_ERROR_RT_PARAM_INVALID || result == ACL_ERROR_RT_STREAM_CONTEXT) {
    return HCCL_E_PARA;
  }
  return result == 0 ? 0 : HCCL_E_RUNTIME;
}

static int32_t plan(const struct request *request, struct comm *comm)
{
  struct batch *batch = calloc(1, sizeof *batch + request->count * sizeof(struct move));
  batch->task = (struct sim_task){.run = run, .release = release, .owner = comm, .owed = &comm->owed};
  batch->comm = comm;
  batch->put = request->put;
  batch->moves_count = request->count;
  int32_t result = 0;
  for (uint32_t i = 0; i < request->count && result == 0; i++) {
    result = plan_move(batch, i, &request->descriptors[i]);
  }
  if (result == 0) {
    result = submit(request, batch);
  }
  if (result != 0) {
    free(batch);
  }
  return result;
}

static int32_t order(const struct request *request)
{
  int32_t result = check_request(request);
  if (result != 0) {
    return result;
  }
  hccl_lock();
  struct comm *comm = comm_of(request->comm);
  result = comm == NULL ? stale_comm(request->comm) : check_comm(comm, request->remote_rank, request->device);
  if (result == 0) {
    result = plan(request, comm);
  }
  hccl_unlock();
  if (result == 0) {
    sim_count(request->put ? SIM_PUTS : SIM_GETS, 1);
    sim_count(SIM_DESCRIPTORS, request->count);
  }
  return result;
}

static HcclResult batch(const char *function, struct request request)
{
  struct sim_call call;
  int32_t result;
  if (sim_enter(&call, function, SIM_HCCL, SIM_NEEDS_DEVICE)) {
    request.device = call.device;
    result = order(&request);
  } else {
    result = call.result;
  }
  return sim_leave(&call, result, "comm=%s remote=%u descriptors=%u stream=%p", comm_word(request.comm),
                   request.remote_rank, request.count, request.stream);
}

HcclResult HcclBatchPut(HcclComm comm, uint32_t remoteRank, HcclOneSideOpDesc *descriptors, uint32_t count,
                        aclrtStream stream)
{
  return batch("HcclBatchPut", (struct request){comm, true, remoteRank, descriptors, count, stream, -1});
}

HcclResult HcclBatchGet(HcclComm comm, uint32_t remoteRank, HcclOneSideOpDesc *descriptors, uint32_t count,
                        aclrtStream stream)
{
  return batch("HcclBatchGet", (struct request){comm, false, remoteRank, descriptors, count, stream, -1});
}
