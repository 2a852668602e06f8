#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { MAX_DEVICES = 64 };

/* Odd while initialised. A thread's device counts only for the round in which it was set. */
static _Atomic uint64_t init_round;
static _Thread_local int32_t thread_device = -1;
static _Thread_local uint64_t thread_round;

bool sim_initialised(void)
{
  return atomic_load(&init_round) % 2 == 1;
}

int32_t sim_thread_device(void)
{
  return sim_initialised() && thread_round == atomic_load(&init_round) ? thread_device : -1;
}

static int32_t all_devices(void)
{
  int64_t devices = sim_setting_number("HCCL_SIM_DEVICES", 8);
  return devices < 0 ? 0 : devices > MAX_DEVICES ? (int32_t)MAX_DEVICES : (int32_t)devices;
}

/* As the driver does it, the list of visible devices ends at the first entry that is not a device. */
static int32_t visible_devices(int32_t physical[MAX_DEVICES])
{
  const char *list = sim_setting("ASCEND_RT_VISIBLE_DEVICES", NULL);
  int32_t count = 0;
  while (list != NULL && count < MAX_DEVICES) {
    char *end;
    long device = strtol(list, &end, 10);
    if (end == list || device < 0 || device >= all_devices()) {
      break;
    }
    physical[count++] = (int32_t)device;
    if (*end != ',') {
      break;
    }
    list = end + 1;
  }
  return count;
}

int32_t sim_device_count(void)
{
  int32_t physical[MAX_DEVICES];
  return sim_setting("ASCEND_RT_VISIBLE_DEVICES", NULL) == NULL ? all_devices() : visible_devices(physical);
}

int32_t sim_physical_device(int32_t logic)
{
  int32_t physical[MAX_DEVICES];
  if (logic < 0 || logic >= sim_device_count()) {
    return -1;
  }
  return logic < visible_devices(physical) ? physical[logic] : logic;
}

static int32_t initialise(void)
{
  uint64_t round = atomic_load(&init_round);
  if (round % 2 == 1 || !atomic_compare_exchange_strong(&init_round, &round, round + 1)) {
    return sim_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before in this process");
  }
  return 0;
}

aclError aclInit(const char *configPath)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclInit", SIM_ACL, SIM_NEEDS_NOTHING)) {
    return sim_leave(&call, call.result, "config=%s", configPath ? configPath : "-");
  }
  return sim_leave(&call, initialise(), "config=%s", configPath ? configPath : "-");
}

static int32_t finalise(void)
{
  uint64_t round = atomic_load(&init_round);
  if (round % 2 == 0 || !atomic_compare_exchange_strong(&init_round, &round, round + 1)) {
    return sim_misuse(SIM_NO_DEVICE, ACL_ERROR_UNINITIALIZE, "aclFinalize before aclInit");
  }
  int64_t streams = sim_counter_value(SIM_STREAMS_ALIVE);
  int64_t comms = sim_counter_value(SIM_COMMS_ALIVE);
  if (streams > 0 || comms > 0) {
    sim_misuse(SIM_STILL_IN_USE, 0, "aclFinalize while %lld streams and %lld communicators are alive",
               (long long)streams, (long long)comms);
  }
  return 0;
}

aclError aclFinalize(void)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclFinalize", SIM_ACL, SIM_NEEDS_NOTHING)) {
    return sim_leave(&call, call.result, "-");
  }
  return sim_leave(&call, finalise(), "-");
}

static int32_t set_device(int32_t device)
{
  if (!sim_initialised()) {
    return sim_misuse(SIM_NO_DEVICE, ACL_ERROR_UNINITIALIZE, "aclrtSetDevice before aclInit");
  }
  int32_t count = sim_device_count();
  if (device < 0 || device >= count) {
    return sim_reject(ACL_ERROR_RT_INVALID_DEVICEID, "device %d does not exist: this process sees %d devices", device,
                      count);
  }
  int32_t lost = sim_lost_device_code(device);
  if (lost != 0) {
    return sim_fail(lost, "device %d is lost", device);
  }
  thread_device = device;
  thread_round = atomic_load(&init_round);
  return 0;
}

aclError aclrtSetDevice(int32_t deviceId)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtSetDevice", SIM_ACL, SIM_NEEDS_NOTHING)) {
    return sim_leave(&call, call.result, "set=%d", deviceId);
  }
  return sim_leave(&call, set_device(deviceId), "set=%d", deviceId);
}

static int32_t physical_of(int32_t logic, int32_t *physical)
{
  if (physical == NULL) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtGetPhyDevIdByLogicDevId: no place for the result");
  }
  int32_t found = sim_physical_device(logic);
  if (found < 0) {
    return sim_reject(ACL_ERROR_RT_INVALID_DEVICEID, "device %d does not exist: this process sees %d devices", logic,
                      sim_device_count());
  }
  *physical = found;
  return 0;
}

aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicId, int32_t *physicalId)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtGetPhyDevIdByLogicDevId", SIM_ACL, SIM_NEEDS_NOTHING)) {
    return sim_leave(&call, call.result, "logic=%d", logicId);
  }
  int32_t result = physical_of(logicId, physicalId);
  return sim_leave(&call, result, "logic=%d physical=%d", logicId, result == 0 ? *physicalId : -1);
}

const char *aclrtGetSocName(void)
{
  return sim_setting("HCCL_SIM_SOC", "Ascend910B3");
}

const char *aclGetRecentErrMsg(void)
{
  return sim_take_message();
}
