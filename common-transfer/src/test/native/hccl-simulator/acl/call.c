#include <stdarg.h>
#include <stdio.h>

#include "sim.h"

static bool ends(struct sim_call *call, int32_t result)
{
  call->result = result;
  return false;
}

static bool has_device(struct sim_call *call, enum sim_library library)
{
  if (library == SIM_ACL && !sim_initialised()) {
    return ends(call, sim_misuse(SIM_NO_DEVICE, ACL_ERROR_UNINITIALIZE, "%s before aclInit", call->function));
  }
  if (call->device < 0) {
    int32_t code = library == SIM_ACL ? (int32_t)ACL_ERROR_RT_CONTEXT_NULL : (int32_t)HCCL_E_RUNTIME;
    return ends(call, sim_misuse(SIM_NO_DEVICE, code,
                                 "%s from a thread that has no device (107002, context null): "
                                 "aclrtSetDevice counts for the calling OS thread only",
                                 call->function));
  }
  int32_t lost = sim_lost_device_code(call->device);
  return lost == 0 || ends(call, sim_fail(lost, "device %d is lost", call->device));
}

bool sim_enter(struct sim_call *call, const char *function, enum sim_library library, enum sim_needs needs)
{
  *call = (struct sim_call){.function = function, .device = sim_thread_device(), .started_us = sim_now_us()};
  sim_nap_us(sim_delay_us(function));
  int32_t injected = sim_take_failure(function);
  if (injected != 0) {
    return ends(call, sim_fail(injected, "failure injected into %s", function));
  }
  return needs == SIM_NEEDS_NOTHING || has_device(call, library);
}

int32_t sim_leave(const struct sim_call *call, int32_t result, const char *format, ...)
{
  char details[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(details, sizeof details, format, arguments);
  va_end(arguments);
  const char *message = result == 0 ? NULL : sim_peek_message();
  sim_log("call=%s device=%d %s result=%d us=%lld%s%s%s", call->function, call->device, details, result,
          (long long)(sim_now_us() - call->started_us), message ? " msg=\"" : "", message ? message : "",
          message ? "\"" : "");
  return result;
}
