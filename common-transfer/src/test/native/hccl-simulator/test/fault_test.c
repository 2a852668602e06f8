#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "node.h"

static void theNthCallFails(void)
{
  start_acl(0);
  CHECK_IS(hccl_sim_fail("aclrtMallocHost", 2, 207001), 0);
  void *memory;
  CHECK_IS(aclrtMallocHost(&memory, 8), 0);
  CHECK_IS(aclrtMallocHost(&memory, 8), 207001);
  CHECK(strstr(aclGetRecentErrMsg(), "injected") != NULL);
  CHECK_IS(aclrtMallocHost(&memory, 8), 0);
  CHECK_IS(hccl_sim_fail("aclrtMallocHost", -1, 207001), 0);
  CHECK_IS(aclrtMallocHost(&memory, 8), 207001);
  CHECK_IS(aclrtMallocHost(&memory, 8), 207001);
  CHECK_IS(hccl_sim_fail("aclrtMallocHost", 0, 0), 0);
  CHECK_IS(aclrtMallocHost(&memory, 8), 0);
  CHECK_IS(hccl_sim_fail("aclrtMallocHosts", 1, 1), -1);
  CHECK_IS(hccl_sim_fail("aclrtMallocHost", 1, 0), -1);
  CHECK_IS(hccl_sim_fail("gate", 1, 1), -1);
  CHECK_IS(hccl_sim_fail(NULL, 1, 1), -1);
}

static void anInjectedPrepareFailureLeavesThePeerAlone(void)
{
  struct node zero = node_new("injected", 0, 0);
  struct node one = node_new("injected", 1, 1);
  CHECK_IS(hccl_sim_fail("HcclCommPrepare", 1, HCCL_E_ROCE_CONNECT), 0);
  CHECK_IS(node_prepare(&zero, 1), HCCL_E_ROCE_CONNECT);
  CHECK_IS(node_prepare(&one, 1), HCCL_E_TIMEOUT);
  CHECK_IS(node_prepare(&zero, 1), HCCL_E_INTERNAL);
  CHECK_IS(hccl_sim_counter("prepares_failed"), 2);
  node_free(&zero);
  node_free(&one);
}

static void aPutCanFailAtOnce(void)
{
  struct node zero;
  struct node one;
  pair_new("put", &zero, &one);
  CHECK_IS(hccl_sim_fail("HcclBatchPut", 1, HCCL_E_NETWORK), 0);
  CHECK_IS(put(&zero, zero.area[0], one.area[0], 8), HCCL_E_NETWORK);
  CHECK_IS(put(&zero, zero.area[0], one.area[0], 8), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(hccl_sim_fail("aclrtSynchronizeStreamWithTimeout", 1, 507057), 0);
  CHECK_IS(settle(&zero), 507057);
}

static void callsCanBeDelayed(void)
{
  start_acl(0);
  CHECK_IS(hccl_sim_delay("aclrtSetDevice", 500000), 0);
  double started = seconds();
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK(seconds() - started >= 0.5);
  CHECK_IS(hccl_sim_delay("aclrtSetDevice", -1), -1);
  CHECK_IS(hccl_sim_delay("nothing", 1), -1);
  hccl_sim_reset();
  started = seconds();
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK(seconds() - started < 0.5);
}

static void aLostDeviceFailsAllThatNeedsIt(void)
{
  struct node zero;
  struct node one;
  pair_new("lost", &zero, &one);
  CHECK_IS(hccl_sim_lose_device(0, 507010), 0);
  void *memory;
  CHECK_IS(aclrtMalloc(&memory, 8, 0), 507010);
  HcclOneSideOpDesc any = {zero.area[0], one.area[0], 8, 7};
  CHECK_IS(HcclBatchPut(zero.comm, 1, &any, 1, zero.stream), 507010);
  CHECK_IS(HcclCommDestroy(zero.comm), 507010);
  CHECK_IS(aclrtSetDevice(0), 507010);
  CHECK_IS(put(&one, one.area[0], zero.area[0], 8), 0);
  CHECK_IS(settle(&one), 0);
  CHECK_IS(hccl_sim_lose_device(-1, 507010), 0);
  CHECK_IS(aclrtMalloc(&memory, 8, 0), 507010);
  CHECK_IS(hccl_sim_lose_device(-1, 0), 0);
  node_free(&zero);
  node_free(&one);
}

static void resetLetsHangingBatchesGoOn(void)
{
  struct node zero;
  struct node one;
  pair_new("hang", &zero, &one);
  CHECK_IS(hccl_sim_hang_copy(1), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(zero.stream, 50), 507046);
  CHECK_IS(hccl_sim_reset(), 2 + 2 + 2 * AREAS);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(hccl_sim_counter("bytes_put"), 8);
  CHECK_IS(hccl_sim_counter("synchronise_timeouts"), 0);
}

static void aCutLinkIsNetworkOnBothSides(void)
{
  struct node zero;
  struct node one;
  pair_new("cut", &zero, &one);
  CHECK_IS(hccl_sim_cut("other"), 0);
  CHECK_IS(hccl_sim_cut("cut"), 2);
  CHECK_IS(put(&zero, zero.area[0], one.area[0], 8), 0);
  CHECK_IS(settle(&zero), HCCL_E_NETWORK);
  CHECK_IS(put(&one, one.area[0], zero.area[0], 8), 0);
  CHECK_IS(settle(&one), HCCL_E_NETWORK);
  node_free(&zero);
  node_free(&one);
}

static void theEnvironmentInjectsFaults(void)
{
  setenv("HCCL_SIM_FAIL", "aclrtMallocHost:2:207001,aclrtSetDevice:3:107001", 1);
  setenv("HCCL_SIM_DELAY", "aclrtMallocHost:50000", 1);
  setenv("HCCL_SIM_LOSE_DEVICE", "3:507010", 1);
  start_acl(0);
  void *memory;
  double started = seconds();
  CHECK_IS(aclrtMallocHost(&memory, 8), 0);
  CHECK(seconds() - started >= 0.05);
  CHECK_IS(aclrtMallocHost(&memory, 8), 207001);
  CHECK_IS(aclrtSetDevice(3), 507010);
  CHECK_IS(aclrtSetDevice(0), 107001);
  CHECK_IS(aclrtSetDevice(0), 0);
}

static void aFaultThatCannotBeUnderstoodAborts(void)
{
  pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    setenv("HCCL_SIM_FAIL", "HcclBatchPutt:1:19", 1);
    aclInit(NULL);
    exit(0);
  }
  int status;
  CHECK_IS(waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void unknownNamesAreMinusOne(void)
{
  CHECK_IS(hccl_sim_counter("nothing"), -1);
  CHECK_IS(hccl_sim_counter(NULL), -1);
  CHECK_IS(hccl_sim_misuse("nothing"), -1);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
  CHECK(strcmp(hccl_sim_last_misuse(), "") == 0);
}

static void everyCallIsALineOfTheLog(void)
{
  char path[] = "/tmp/hccl-sim-log-XXXXXX";
  CHECK(mkstemp(path) >= 0);
  hccl_sim_set("HCCL_SIM_LOG", path);
  struct node zero;
  struct node one;
  pair_new("with space", &zero, &one);
  CHECK_IS(put(&zero, zero.area[0], one.area[0], 8), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(put(&zero, zero.area[0], one.area[0], 0), HCCL_E_PARA);
  FILE *log = fopen(path, "r");
  char line[2048];
  int puts = 0;
  int refused = 0;
  int copies = 0;
  int misuses = 0;
  while (fgets(line, sizeof line, log) != NULL) {
    CHECK(strstr(line, " pid=") != NULL && strstr(line, " tid=") != NULL && strchr(line, '\n') != NULL);
    bool is_put = strstr(line, " call=HcclBatchPut device=0 comm=with_space remote=1 descriptors=1 ") != NULL;
    puts += is_put && strstr(line, " result=0 us=") != NULL;
    refused += is_put && strstr(line, " result=1 us=") != NULL && strstr(line, " msg=\"") != NULL;
    copies += strstr(line, " event=copy comm=with_space op=put descriptors=1 bytes=8 result=0 us=") != NULL;
    misuses += strstr(line, " misuse=bad_argument msg=\"") != NULL;
  }
  fclose(log);
  unlink(path);
  CHECK_IS(puts, 1);
  CHECK_IS(refused, 1);
  CHECK_IS(copies, 1);
  CHECK_IS(misuses, 1);
}

const struct test fault_tests[] = {
    TEST(theNthCallFails),
    TEST(anInjectedPrepareFailureLeavesThePeerAlone),
    TEST(aPutCanFailAtOnce),
    TEST(callsCanBeDelayed),
    TEST(aLostDeviceFailsAllThatNeedsIt),
    TEST(resetLetsHangingBatchesGoOn),
    TEST(aCutLinkIsNetworkOnBothSides),
    TEST(theEnvironmentInjectsFaults),
    TEST(aFaultThatCannotBeUnderstoodAborts),
    TEST(unknownNamesAreMinusOne),
    TEST(everyCallIsALineOfTheLog),
    END_OF_TESTS,
};
