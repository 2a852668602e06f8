#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl_sim.h"
#include "sim.h"

enum { DEFAULT_COPY_DELAY_US = 1000, DEFAULT_GATE_US = 200, MAX_LOST = 64 };

struct rule {
  const char *what;
  int32_t nth; /* 0 none, -1 every call, else how many calls until it strikes */
  int32_t code;
  int32_t delay_us;
};

static struct rule rules[] = {
    {.what = "aclInit"},
    {.what = "aclFinalize"},
    {.what = "aclrtSetDevice"},
    {.what = "aclrtCreateStream"},
    {.what = "aclrtDestroyStream"},
    {.what = "aclrtSynchronizeStreamWithTimeout"},
    {.what = "aclrtMalloc"},
    {.what = "aclrtFree"},
    {.what = "aclrtMallocHost"},
    {.what = "aclrtFreeHost"},
    {.what = "aclrtMemcpy"},
    {.what = "aclrtGetPhyDevIdByLogicDevId"},
    {.what = "HcclCommInitClusterInfoMemConfig"},
    {.what = "HcclCommDestroy"},
    {.what = "HcclRegisterGlobalMem"},
    {.what = "HcclDeregisterGlobalMem"},
    {.what = "HcclCommBindMem"},
    {.what = "HcclCommUnbindMem"},
    {.what = "HcclCommPrepare"},
    {.what = "HcclBatchPut"},
    {.what = "HcclBatchGet"},
    {.what = "HcclGetCommAsyncError"},
    {.what = "copy"},
    {.what = "gate"},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static int32_t hang_nth;
static uint64_t hang_round;
static int32_t lost[MAX_LOST];
static int32_t all_lost;

static struct rule *rule_of(const char *what)
{
  for (size_t i = 0; what != NULL && i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].what, what) == 0) {
      return &rules[i];
    }
  }
  return NULL;
}

static bool set_failure(const char *what, int32_t nth, int32_t code)
{
  struct rule *rule = rule_of(what);
  if (rule == NULL || strcmp(what, "gate") == 0 || nth < -1 || (nth != 0 && code == 0)) {
    return false;
  }
  rule->nth = nth;
  rule->code = code;
  return true;
}

static bool set_delay(const char *what, int32_t micros)
{
  struct rule *rule = rule_of(what);
  if (rule == NULL || micros < 0) {
    return false;
  }
  rule->delay_us = micros;
  return true;
}

static bool set_lost(int32_t device, int32_t code)
{
  if (device >= MAX_LOST) {
    return false;
  }
  if (device >= 0) {
    lost[device] = code;
    return true;
  }
  all_lost = code;
  if (code == 0) {
    memset(lost, 0, sizeof lost);
  }
  return true;
}

static bool load_failure(char *item)
{
  char what[64];
  int nth;
  int code;
  return sscanf(item, "%63[^:]:%d:%d", what, &nth, &code) == 3 && set_failure(what, nth, code);
}

static bool load_delay(char *item)
{
  char what[64];
  int micros;
  return sscanf(item, "%63[^:]:%d", what, &micros) == 2 && set_delay(what, micros);
}

static bool load_lost(char *item)
{
  int device;
  int code;
  return sscanf(item, "%d:%d", &device, &code) == 2 && set_lost(device, code);
}

static void load_list(const char *variable, bool (*load)(char *item))
{
  const char *list = sim_setting(variable, NULL);
  if (list == NULL) {
    return;
  }
  char *copy = strdup(list);
  char *rest = NULL;
  for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
    if (!load(item)) {
      /* A test that believes in a fault which is not there would prove nothing. */
      fprintf(stderr, "hccl-simulator: %s: cannot understand '%s'\n", variable, item);
      abort();
    }
  }
  free(copy);
}

static void load_once(void)
{
  if (loaded) {
    return;
  }
  loaded = true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    rules[i].nth = rules[i].code = rules[i].delay_us = 0;
  }
  memset(lost, 0, sizeof lost);
  all_lost = 0;
  rule_of("copy")->delay_us = DEFAULT_COPY_DELAY_US;
  rule_of("gate")->delay_us = DEFAULT_GATE_US;
  load_list("HCCL_SIM_FAIL", load_failure);
  load_list("HCCL_SIM_DELAY", load_delay);
  load_list("HCCL_SIM_LOSE_DEVICE", load_lost);
  hang_nth = (int32_t)sim_setting_number("HCCL_SIM_HANG_COPY", 0);
}

static void enter(void)
{
  pthread_mutex_lock(&lock);
  load_once();
}

static void leave(void)
{
  pthread_mutex_unlock(&lock);
}

static bool strikes(int32_t *nth)
{
  if (*nth <= 0) {
    return *nth < 0;
  }
  return --*nth == 0;
}

int32_t sim_take_failure(const char *what)
{
  enter();
  struct rule *rule = rule_of(what);
  int32_t code = rule != NULL && strikes(&rule->nth) ? rule->code : 0;
  leave();
  return code;
}

int32_t sim_delay_us(const char *what)
{
  enter();
  struct rule *rule = rule_of(what);
  int32_t delay = rule == NULL ? 0 : rule->delay_us;
  leave();
  return delay;
}

bool sim_take_hang(void)
{
  enter();
  bool hang = strikes(&hang_nth);
  leave();
  return hang;
}

uint64_t sim_hang_round(void)
{
  enter();
  uint64_t round = hang_round;
  leave();
  return round;
}

int32_t sim_lost_device_code(int32_t device)
{
  enter();
  int32_t code = all_lost != 0 ? all_lost : device >= 0 && device < MAX_LOST ? lost[device] : 0;
  leave();
  return code;
}

void sim_forget_rules(void)
{
  pthread_mutex_lock(&lock);
  loaded = false;
  hang_round++;
  pthread_mutex_unlock(&lock);
}

int32_t hccl_sim_fail(const char *what, int32_t nth, int32_t code)
{
  enter();
  bool known = set_failure(what, nth, code);
  leave();
  return known ? 0 : -1;
}

int32_t hccl_sim_delay(const char *what, int32_t micros)
{
  enter();
  bool known = set_delay(what, micros);
  leave();
  return known ? 0 : -1;
}

int32_t hccl_sim_hang_copy(int32_t nth)
{
  enter();
  hang_nth = nth;
  leave();
  return 0;
}

int32_t hccl_sim_lose_device(int32_t device, int32_t code)
{
  enter();
  bool known = set_lost(device, code);
  leave();
  return known ? 0 : -1;
}
