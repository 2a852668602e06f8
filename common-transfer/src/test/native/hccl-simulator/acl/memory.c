#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim.h"

enum { POLICY_HUGE_FIRST, POLICY_HUGE_ONLY, POLICY_NORMAL_ONLY };

#define SMALL_PAGE ((size_t)4096)

struct allocation {
  struct allocation *next;
  enum sim_memory_kind kind;
  int32_t device;
  uintptr_t address; /* what the caller got */
  char *bytes;       /* where the simulator reads and writes it */
  size_t asked;
  size_t mapped;
  int fd;
  int held;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocation *allocations;
static int64_t device_used[64];

static size_t rounded(size_t size, size_t page)
{
  return (size + page - 1) / page * page;
}

/* Every pointer into it faults; only the table of allocations gives it a meaning. */
static uintptr_t reserve_address(size_t size, bool huge)
{
  size_t room = size + 2 * SIM_HUGE_PAGE;
  char *start = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return 0;
  }
  uintptr_t chosen = rounded((uintptr_t)start, SIM_HUGE_PAGE);
  if (!huge) {
    chosen += SMALL_PAGE; /* small pages are never 2 MiB aligned, so that registering them by luck cannot work */
  }
  size_t before = chosen - (uintptr_t)start;
  if (before > 0) {
    munmap(start, before);
  }
  munmap((char *)chosen + size, room - before - size);
  return chosen;
}

static bool back_with_shared_memory(struct allocation *a)
{
  a->fd = memfd_create(a->kind == SIM_DEVICE_MEMORY ? "hccl-sim-device" : "hccl-sim-host", MFD_CLOEXEC);
  if (a->fd < 0 || ftruncate(a->fd, (off_t)a->mapped) != 0) {
    return false;
  }
  void *bytes = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
  a->bytes = bytes == MAP_FAILED ? NULL : bytes;
  return a->bytes != NULL;
}

static void discard(struct allocation *a)
{
  if (a->bytes != NULL) {
    munmap(a->bytes, a->mapped);
  }
  if (a->kind == SIM_DEVICE_MEMORY && a->address != 0) {
    munmap((void *)a->address, a->mapped);
  }
  if (a->fd >= 0) {
    close(a->fd);
  }
  free(a);
}

static enum sim_counter gauge(enum sim_memory_kind kind)
{
  return kind == SIM_DEVICE_MEMORY ? SIM_DEVICE_ALLOCATIONS_ALIVE : SIM_HOST_ALLOCATIONS_ALIVE;
}

static void enlist(struct allocation *a)
{
  pthread_mutex_lock(&lock);
  a->next = allocations;
  allocations = a;
  pthread_mutex_unlock(&lock);
  sim_count(gauge(a->kind), 1);
}

bool sim_reserve_device_memory(int32_t device, int64_t bytes)
{
  int64_t capacity = sim_setting_number("HCCL_SIM_DEVICE_MEMORY_MB", 65536) << 20;
  pthread_mutex_lock(&lock);
  bool fits = bytes <= 0 || bytes <= capacity - device_used[device];
  if (fits) {
    device_used[device] += bytes;
  }
  pthread_mutex_unlock(&lock);
  sim_count(SIM_DEVICE_BYTES, fits ? bytes : 0);
  return fits;
}

static int32_t allocate_on_device(void **address, size_t size, int policy, int32_t device)
{
  if (address == NULL || size == 0 || policy < POLICY_HUGE_FIRST || policy > POLICY_NORMAL_ONLY) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtMalloc: address %p, size %zu, policy %d", (void *)address, size,
                      policy);
  }
  bool huge = policy == POLICY_HUGE_ONLY || (policy == POLICY_HUGE_FIRST && size > SIM_HUGE_PAGE / 2);
  size_t mapped = rounded(size, huge ? SIM_HUGE_PAGE : SMALL_PAGE);
  if (mapped < size || (int64_t)mapped < 0 || !sim_reserve_device_memory(device, (int64_t)mapped)) {
    return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "device %d has no %zu bytes left", device, size);
  }
  struct allocation *a = calloc(1, sizeof *a);
  *a = (struct allocation){.kind = SIM_DEVICE_MEMORY, .device = device, .asked = size, .mapped = mapped, .fd = -1};
  a->address = reserve_address(mapped, huge);
  if (a->address == 0 || !back_with_shared_memory(a)) {
    discard(a);
    sim_reserve_device_memory(device, -(int64_t)mapped);
    return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to stand for %zu device bytes: %s", size,
                    strerror(errno));
  }
  enlist(a);
  *address = (void *)a->address;
  return 0;
}

aclError aclrtMalloc(void **address, size_t size, int policy)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtMalloc", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "bytes=%zu", size);
  }
  int32_t result = allocate_on_device(address, size, policy, call.device);
  return sim_leave(&call, result, "bytes=%zu policy=%d address=%p", size, policy, result == 0 ? *address : NULL);
}

static int32_t allocate_on_host(void **address, size_t size)
{
  if (address == NULL || size == 0) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: address %p, size %zu", (void *)address, size);
  }
  struct allocation *a = calloc(1, sizeof *a);
  *a = (struct allocation){.kind = SIM_PINNED_MEMORY, .asked = size, .mapped = rounded(size, SMALL_PAGE), .fd = -1};
  if (!back_with_shared_memory(a)) {
    discard(a);
    return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no %zu bytes of host memory: %s", size, strerror(errno));
  }
  a->address = (uintptr_t)a->bytes;
  enlist(a);
  *address = a->bytes;
  return 0;
}

aclError aclrtMallocHost(void **address, size_t size)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtMallocHost", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "bytes=%zu", size);
  }
  int32_t result = allocate_on_host(address, size);
  return sim_leave(&call, result, "bytes=%zu address=%p", size, result == 0 ? *address : NULL);
}

/* Takes it off the list; NULL with *result set when it must not be freed. */
static struct allocation *delist(const void *address, enum sim_memory_kind kind, int32_t *result)
{
  struct allocation *found = NULL;
  int held = 0;
  pthread_mutex_lock(&lock);
  for (struct allocation **link = &allocations; *link != NULL; link = &(*link)->next) {
    if ((*link)->address == (uintptr_t)address && (*link)->kind == kind) {
      held = (*link)->held;
      if (held == 0) {
        found = *link;
        *link = found->next;
      }
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  if (held > 0) {
    *result = sim_misuse(SIM_STILL_IN_USE, ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is freed while it is registered",
                         address);
  } else if (found == NULL) {
    *result = sim_reject(ACL_ERROR_RT_PARAM_INVALID, "%p is not allocated %s memory", address,
                         kind == SIM_DEVICE_MEMORY ? "device" : "host");
  }
  return found;
}

static int32_t release(const void *address, enum sim_memory_kind kind)
{
  int32_t result = 0;
  struct allocation *a = delist(address, kind, &result);
  if (a != NULL) {
    sim_count(gauge(kind), -1);
    if (kind == SIM_DEVICE_MEMORY) {
      sim_reserve_device_memory(a->device, -(int64_t)a->mapped);
    }
    discard(a);
  }
  return result;
}

aclError aclrtFree(void *address)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtFree", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "address=%p", address);
  }
  return sim_leave(&call, release(address, SIM_DEVICE_MEMORY), "address=%p", address);
}

aclError aclrtFreeHost(void *address)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtFreeHost", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "address=%p", address);
  }
  return sim_leave(&call, release(address, SIM_PINNED_MEMORY), "address=%p", address);
}

struct sim_memory sim_find_memory(const void *address, size_t size)
{
  uintptr_t from = (uintptr_t)address;
  struct sim_memory found = {.kind = SIM_UNKNOWN_MEMORY, .fd = -1};
  if (size == 0 || from + size < from) {
    found.kind = SIM_BROKEN_RANGE;
    return found;
  }
  pthread_mutex_lock(&lock);
  for (struct allocation *a = allocations; a != NULL; a = a->next) {
    if (from >= a->address && from + size <= a->address + a->asked) {
      uint64_t offset = from - a->address;
      found = (struct sim_memory){a->kind, a->device, a->fd, offset, a->bytes + offset};
      break;
    }
    if (from < a->address + a->mapped && a->address < from + size) {
      found.kind = SIM_BROKEN_RANGE;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void sim_hold_memory(const void *address, int change)
{
  uintptr_t from = (uintptr_t)address;
  pthread_mutex_lock(&lock);
  for (struct allocation *a = allocations; a != NULL; a = a->next) {
    if (from >= a->address && from < a->address + a->mapped) {
      a->held += change;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
}
