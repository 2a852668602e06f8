#include <pthread.h>
#include <string.h>

#include "check.h"
#include "node.h"

static void aSecondInitSaysSo(void)
{
  CHECK_IS(aclInit(NULL), 0);
  CHECK_IS(aclInit(NULL), 100002);
  CHECK_IS(aclFinalize(), 0);
  CHECK_IS(aclFinalize(), 100001);
  CHECK_IS(aclInit(NULL), 0);
}

static void nothingWorksBeforeInit(void)
{
  void *memory;
  CHECK_IS(aclrtSetDevice(0), 100001);
  CHECK_IS(aclrtMalloc(&memory, 1, 0), 100001);
  CHECK_IS(hccl_sim_misuse("no_device"), 2);
}

static void *call_without_device(void *unused)
{
  (void)unused;
  void *result;
  HcclMem memory = {HCCL_MEM_HOST, &result, 8};
  HcclCommConfig config = config_named("deviceless");
  HcclComm comm;
  HcclPrepareConfig prepare = {0};
  HcclOneSideOpDesc one = {0};
  CHECK_IS(aclrtCreateStream(&result), 107002);
  CHECK_IS(aclrtDestroyStream(&result), 107002);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(&result, 1), 107002);
  CHECK_IS(aclrtMalloc(&result, 8, 0), 107002);
  CHECK_IS(aclrtFree(&result), 107002);
  CHECK_IS(aclrtMallocHost(&result, 8), 107002);
  CHECK_IS(aclrtFreeHost(&result), 107002);
  CHECK_IS(aclrtMemcpy(&result, 8, &memory, 8, ACL_H2H), 107002);
  CHECK_IS(HcclRegisterGlobalMem(&memory, &result), HCCL_E_RUNTIME);
  CHECK_IS(HcclDeregisterGlobalMem(&result), HCCL_E_RUNTIME);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm), HCCL_E_RUNTIME);
  CHECK_IS(HcclCommBindMem(&result, &result), HCCL_E_RUNTIME);
  CHECK_IS(HcclCommUnbindMem(&result, &result), HCCL_E_RUNTIME);
  CHECK_IS(HcclCommPrepare(&result, &prepare, 1), HCCL_E_RUNTIME);
  CHECK_IS(HcclBatchPut(&result, 1, &one, 1, &result), HCCL_E_RUNTIME);
  CHECK_IS(HcclBatchGet(&result, 1, &one, 1, &result), HCCL_E_RUNTIME);
  CHECK_IS(HcclCommDestroy(&result), HCCL_E_RUNTIME);
  CHECK(strstr(aclGetRecentErrMsg(), "aclrtSetDevice") != NULL);
  return NULL;
}

static void aDeviceCountsForItsThreadOnly(void)
{
  start_acl(0);
  pthread_t thread;
  CHECK_IS(pthread_create(&thread, NULL, call_without_device, NULL), 0);
  CHECK_IS(pthread_join(thread, NULL), 0);
  CHECK_IS(hccl_sim_misuse("no_device"), 17);
  CHECK_IS(hccl_sim_misuse(NULL), 17);
}

static void devicesAreCounted(void)
{
  setenv("HCCL_SIM_DEVICES", "2", 1);
  CHECK_IS(aclInit(NULL), 0);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(aclrtSetDevice(2), 107001);
  CHECK_IS(aclrtSetDevice(-1), 107001);
  CHECK_IS(hccl_sim_set("HCCL_SIM_DEVICES", "3"), 0);
  CHECK_IS(aclrtSetDevice(2), 0);
}

static void visibleDevicesAreRenumbered(void)
{
  setenv("ASCEND_RT_VISIBLE_DEVICES", "5,3,9,1", 1);
  int32_t physical = -1;
  CHECK_IS(aclInit(NULL), 0);
  CHECK_IS(aclrtGetPhyDevIdByLogicDevId(0, &physical), 0);
  CHECK_IS(physical, 5);
  CHECK_IS(aclrtGetPhyDevIdByLogicDevId(1, &physical), 0);
  CHECK_IS(physical, 3);
  CHECK_IS(aclrtGetPhyDevIdByLogicDevId(2, &physical), 107001);
  CHECK_IS(aclrtSetDevice(2), 107001);
  unsetenv("ASCEND_RT_VISIBLE_DEVICES");
  CHECK_IS(aclrtGetPhyDevIdByLogicDevId(7, &physical), 0);
  CHECK_IS(physical, 7);
  CHECK_IS(aclrtGetPhyDevIdByLogicDevId(7, NULL), 100000);
}

static void theSocHasAName(void)
{
  CHECK(strcmp(aclrtGetSocName(), "Ascend910B3") == 0);
  hccl_sim_set("HCCL_SIM_SOC", "Ascend910_9391");
  CHECK(strcmp(aclrtGetSocName(), "Ascend910_9391") == 0);
}

static void aMessageIsTakenOnceByItsThread(void)
{
  CHECK(aclGetRecentErrMsg() == NULL);
  CHECK_IS(aclInit(NULL), 0);
  CHECK_IS(aclrtSetDevice(99), 107001);
  const char *message = aclGetRecentErrMsg();
  CHECK(strstr(message, "99") != NULL);
  CHECK(aclGetRecentErrMsg() == NULL);
  CHECK(strstr(message, "99") != NULL);
}

static void resultsHaveNames(void)
{
  CHECK(strcmp(HcclGetErrorString(0), "HCCL_SUCCESS") == 0);
  CHECK(strcmp(HcclGetErrorString(1), "HCCL_E_PARA") == 0);
  CHECK(strcmp(HcclGetErrorString(9), "HCCL_E_TIMEOUT") == 0);
  CHECK(strcmp(HcclGetErrorString(19), "HCCL_E_NETWORK") == 0);
  CHECK(strcmp(HcclGetErrorString(21), "HCCL_E_REMOTE") == 0);
  CHECK(strcmp(HcclGetErrorString(503900), "unknown error") == 0);
}

static void finalisingWithLiveObjectsIsMisuse(void)
{
  start_acl(0);
  aclrtStream stream;
  CHECK_IS(aclrtCreateStream(&stream), 0);
  CHECK_IS(aclFinalize(), 0);
  CHECK_IS(hccl_sim_misuse("still_in_use"), 1);
  CHECK_IS(aclInit(NULL), 0);
  CHECK_IS(aclrtDestroyStream(stream), 107002);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(aclrtDestroyStream(stream), 0);
}

const struct test runtime_tests[] = {
    TEST(aSecondInitSaysSo),
    TEST(nothingWorksBeforeInit),
    TEST(aDeviceCountsForItsThreadOnly),
    TEST(devicesAreCounted),
    TEST(visibleDevicesAreRenumbered),
    TEST(theSocHasAName),
    TEST(aMessageIsTakenOnceByItsThread),
    TEST(resultsHaveNames),
    TEST(finalisingWithLiveObjectsIsMisuse),
    END_OF_TESTS,
};
