#include <string.h>

#include "sim.h"

static bool is_device(const void *address, size_t count)
{
  return sim_find_memory(address, count).kind == SIM_DEVICE_MEMORY;
}

static bool is_host(const void *address, size_t count)
{
  enum sim_memory_kind kind = sim_find_memory(address, count).kind;
  return kind == SIM_PINNED_MEMORY || kind == SIM_UNKNOWN_MEMORY;
}

static bool fits(const void *address, size_t count, bool device)
{
  return device ? is_device(address, count) : is_host(address, count);
}

static int32_t copy(void *dst, size_t room, const void *src, size_t count, int kind)
{
  if (dst == NULL || src == NULL || count == 0 || count > room) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: %zu bytes from %p to %p, which has room for %zu", count,
                      src, dst, room);
  }
  if (kind < ACL_H2H || kind > ACL_D2D) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: kind %d", kind);
  }
  if (!fits(dst, count, kind == ACL_H2D || kind == ACL_D2D) || !fits(src, count, kind == ACL_D2H || kind == ACL_D2D)) {
    return sim_reject(ACL_ERROR_RT_PARAM_INVALID,
                      "aclrtMemcpy: kind %d does not fit %zu bytes from %p to %p: not in one allocation of that side",
                      kind, count, src, dst);
  }
  int error = sim_copy(sim_place_of(dst, count), sim_place_of(src, count), count);
  return error == 0 ? 0 : sim_reject(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy: %s", strerror(error));
}

aclError aclrtMemcpy(void *dst, size_t dstMax, const void *src, size_t count, int kind)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtMemcpy", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "bytes=%zu kind=%d", count, kind);
  }
  return sim_leave(&call, copy(dst, dstMax, src, count, kind), "bytes=%zu kind=%d", count, kind);
}
