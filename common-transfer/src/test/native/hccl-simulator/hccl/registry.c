#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "hccl.h"

enum { MAX_REGISTERED = 256 };

static struct registration *registrations;

struct registration *registration_of(void *handle)
{
  for (struct registration *r = registrations; r != NULL; r = r->next) {
    if (r == handle) {
      return r->alive ? r : NULL;
    }
  }
  return NULL;
}

static bool overlaps(const HcclMem *one, const HcclMem *other)
{
  uintptr_t a = (uintptr_t)one->addr;
  uintptr_t b = (uintptr_t)other->addr;
  return a < b + other->size && b < a + one->size;
}

static int32_t check_free(const HcclMem *memory)
{
  int alive = 0;
  for (struct registration *r = registrations; r != NULL; r = r->next) {
    if (r->alive && overlaps(memory, &r->memory)) {
      return sim_misuse(SIM_REGISTERED_TWICE, HCCL_E_PARA, "%p+%llu overlaps %p+%llu, which is registered",
                        memory->addr, (unsigned long long)memory->size, r->memory.addr,
                        (unsigned long long)r->memory.size);
    }
    alive += r->alive;
  }
  return alive < MAX_REGISTERED ? 0 : sim_fail(HCCL_E_UNAVAIL, "%d regions are registered already", alive);
}

static int32_t check_device_memory(const HcclMem *memory, int32_t device)
{
  struct sim_memory found = sim_find_memory(memory->addr, memory->size);
  if (found.kind != SIM_DEVICE_MEMORY) {
    return sim_reject(HCCL_E_PARA, "%p+%llu is not inside one aclrtMalloc allocation", memory->addr,
                      (unsigned long long)memory->size);
  }
  if (found.device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA, "memory of device %d is registered by a thread of device %d",
                      found.device, device);
  }
  if ((uintptr_t)memory->addr % SIM_HUGE_PAGE != 0) {
    return sim_reject(ACL_ERROR_DEVICE_ADDRESS_UNALIGNED, "device address %p is not 2 MiB aligned", memory->addr);
  }
  if (memory->size % SIM_HUGE_PAGE != 0) {
    return sim_reject(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "device size %llu is not a whole number of 2 MiB pages",
                      (unsigned long long)memory->size);
  }
  return 0;
}

static bool readable(const char *address)
{
  char byte;
  return sim_copy((struct sim_place){.address = &byte}, sim_place_of(address, 1), 1) == 0;
}

static int32_t check_host_memory(const HcclMem *memory)
{
  enum sim_memory_kind kind = sim_find_memory(memory->addr, memory->size).kind;
  if (kind != SIM_PINNED_MEMORY && kind != SIM_UNKNOWN_MEMORY) {
    return sim_reject(HCCL_E_PARA, "%p+%llu is registered as host memory, but is not", memory->addr,
                      (unsigned long long)memory->size);
  }
  if (!readable(memory->addr) || !readable((char *)memory->addr + memory->size - 1)) {
    return sim_reject(HCCL_E_PARA, "%p+%llu is not mapped in this process", memory->addr,
                      (unsigned long long)memory->size);
  }
  if (kind == SIM_UNKNOWN_MEMORY) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where Yama restricts it, the peer must be let in */
  }
  return 0;
}

static int32_t check_memory(const HcclMem *memory, int32_t device)
{
  if (memory->addr == NULL || memory->size == 0 ||
      (uintptr_t)memory->addr + memory->size < (uintptr_t)memory->addr) {
    return sim_reject(HCCL_E_PARA, "a region at %p of %llu bytes", memory->addr, (unsigned long long)memory->size);
  }
  if (memory->type != HCCL_MEM_DEVICE && memory->type != HCCL_MEM_HOST) {
    return sim_reject(HCCL_E_PARA, "memory type %d is neither device (0) nor host (1)", memory->type);
  }
  int32_t result = check_free(memory);
  if (result != 0) {
    return result;
  }
  return memory->type == HCCL_MEM_DEVICE ? check_device_memory(memory, device) : check_host_memory(memory);
}

static int32_t enlist(const HcclMem *memory, int32_t device, void **handle)
{
  if (memory == NULL || handle == NULL) {
    return sim_reject(HCCL_E_PTR, "HcclRegisterGlobalMem: memory %p, handle %p", (const void *)memory,
                      (void *)handle);
  }
  hccl_lock();
  int32_t result = check_memory(memory, device);
  if (result == 0) {
    struct registration *fresh = calloc(1, sizeof *fresh);
    *fresh = (struct registration){.next = registrations, .alive = true, .device = device, .memory = *memory};
    registrations = fresh;
    sim_hold_memory(memory->addr, 1);
    sim_count(SIM_REGISTRATIONS, 1);
    sim_count(SIM_REGISTERED_ALIVE, 1);
    *handle = fresh;
  }
  hccl_unlock();
  return result;
}

HcclResult HcclRegisterGlobalMem(const HcclMem *memory, void **handle)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclRegisterGlobalMem", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "-");
  }
  gate_enter("HcclRegisterGlobalMem");
  int32_t result = enlist(memory, call.device, handle);
  gate_leave();
  return sim_leave(&call, result, "type=%d address=%p bytes=%llu handle=%p", memory ? memory->type : -1,
                   memory ? memory->addr : NULL, memory ? (unsigned long long)memory->size : 0ULL,
                   result == 0 ? *handle : NULL);
}

static int32_t delist(void *handle, int32_t device)
{
  struct registration *r = registration_of(handle);
  if (r == NULL) {
    return sim_misuse(SIM_STALE_HANDLE, HCCL_E_PARA, "%p is no registration, or was deregistered", handle);
  }
  if (r->device != device) {
    return sim_misuse(SIM_WRONG_DEVICE, HCCL_E_PARA, "a registration of device %d, in a thread of device %d",
                      r->device, device);
  }
  if (r->bound > 0) {
    return sim_misuse(SIM_STILL_IN_USE, HCCL_E_PARA, "%p+%llu is still bound to %d communicators", r->memory.addr,
                      (unsigned long long)r->memory.size, r->bound);
  }
  r->alive = false;
  sim_hold_memory(r->memory.addr, -1);
  sim_count(SIM_DEREGISTRATIONS, 1);
  sim_count(SIM_REGISTERED_ALIVE, -1);
  return 0;
}

HcclResult HcclDeregisterGlobalMem(void *handle)
{
  struct sim_call call;
  if (!sim_enter(&call, "HcclDeregisterGlobalMem", SIM_HCCL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "handle=%p", handle);
  }
  gate_enter("HcclDeregisterGlobalMem");
  hccl_lock();
  int32_t result = delist(handle, call.device);
  hccl_unlock();
  gate_leave();
  return sim_leave(&call, result, "handle=%p", handle);
}
