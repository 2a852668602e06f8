#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "check.h"
#include "node.h"

static sigjmp_buf escape;

static void jump_out(int signal)
{
  (void)signal;
  siglongjmp(escape, 1);
}

static bool faults_on_read(volatile const char *address)
{
  struct sigaction catcher = {.sa_handler = jump_out};
  struct sigaction before;
  sigaction(SIGSEGV, &catcher, &before);
  bool faulted = sigsetjmp(escape, 1) != 0;
  if (!faulted) {
    (void)*address;
  }
  sigaction(SIGSEGV, &before, NULL);
  return faulted;
}

static void theHostCannotTouchDeviceMemory(void)
{
  start_acl(0);
  void *device;
  void *host;
  CHECK_IS(aclrtMalloc(&device, BUFFER, 0), 0);
  CHECK_IS(aclrtMallocHost(&host, BUFFER), 0);
  CHECK(faults_on_read(device));
  CHECK(faults_on_read((char *)device + BUFFER - 1));
  CHECK(!faults_on_read(host));
  memset(host, 1, BUFFER);
  CHECK_IS(aclrtFree(device), 0);
  CHECK_IS(aclrtFreeHost(host), 0);
  CHECK_IS(hccl_sim_counter("device_allocations_alive"), 0);
  CHECK_IS(hccl_sim_counter("host_allocations_alive"), 0);
  CHECK_IS(hccl_sim_counter("device_bytes"), 0);
}

static void memcpyReachesDeviceMemory(void)
{
  start_acl(0);
  void *one;
  void *other;
  char from[100];
  char to[100] = {0};
  memset(from, 'a', sizeof from);
  CHECK_IS(aclrtMalloc(&one, BUFFER, 0), 0);
  CHECK_IS(aclrtMalloc(&other, BUFFER, 0), 0);
  CHECK_IS(aclrtMemcpy((char *)one + 7, BUFFER - 7, from, sizeof from, ACL_H2D), 0);
  CHECK_IS(aclrtMemcpy((char *)other + 9, 100, (char *)one + 7, sizeof from, ACL_D2D), 0);
  CHECK_IS(aclrtMemcpy(to, sizeof to, (char *)other + 9, sizeof from, ACL_D2H), 0);
  CHECK(memcmp(from, to, sizeof from) == 0);
  memset(to, 0, sizeof to);
  CHECK_IS(aclrtMemcpy(to, sizeof to, from, sizeof from, ACL_H2H), 0);
  CHECK(memcmp(from, to, sizeof from) == 0);
  CHECK_IS(aclrtFree(one), 0);
  CHECK_IS(aclrtFree(other), 0);
}

static void wrongCopiesAreRefused(void)
{
  start_acl(0);
  void *device;
  char host[100] = {0};
  CHECK_IS(aclrtMalloc(&device, 4096, 0), 0);
  CHECK_IS(aclrtMemcpy(device, 50, host, 100, ACL_H2D), 100000);
  CHECK_IS(aclrtMemcpy(NULL, 100, host, 100, ACL_H2D), 100000);
  CHECK_IS(aclrtMemcpy(device, 100, NULL, 100, ACL_H2D), 100000);
  CHECK_IS(aclrtMemcpy(device, 100, host, 0, ACL_H2D), 100000);
  CHECK_IS(aclrtMemcpy(device, 100, host, 100, 4), 100000);
  CHECK_IS(aclrtMemcpy(device, 100, host, 100, ACL_H2H), 107000);
  CHECK_IS(aclrtMemcpy(device, 100, host, 100, ACL_D2H), 107000);
  CHECK_IS(aclrtMemcpy(device, 100, host, 100, ACL_D2D), 107000);
  CHECK_IS(aclrtMemcpy(host, 100, device, 100, ACL_H2D), 107000);
  CHECK_IS(aclrtMemcpy((char *)device + 4000, 100, host, 100, ACL_H2D), 107000);
  CHECK_IS(aclrtMemcpy(device, 100, (void *)4096, 100, ACL_H2D), 107000);
  CHECK_IS(aclrtFree(device), 0);
}

static void wrongAllocationsAreRefused(void)
{
  start_acl(0);
  void *memory;
  CHECK_IS(aclrtMalloc(NULL, 1, 0), 100000);
  CHECK_IS(aclrtMalloc(&memory, 0, 0), 100000);
  CHECK_IS(aclrtMalloc(&memory, 1, 9), 100000);
  CHECK_IS(aclrtMallocHost(NULL, 1), 100000);
  CHECK_IS(aclrtMallocHost(&memory, 0), 100000);
  CHECK_IS(aclrtMalloc(&memory, SIZE_MAX, 0), 207001);
  CHECK_IS(aclrtMalloc(&memory, SIZE_MAX / 2, 0), 207001);
  CHECK_IS(aclrtMalloc(&memory, 1, 0), 0);
  CHECK_IS(aclrtFreeHost(memory), 107000);
  CHECK_IS(aclrtFree((char *)memory + 1), 107000);
  CHECK_IS(aclrtFree(memory), 0);
  CHECK_IS(aclrtFree(memory), 107000);
  CHECK_IS(aclrtFree(NULL), 107000);
}

static void onlyLargeAllocationsAreAligned(void)
{
  start_acl(0);
  void *large;
  void *small;
  CHECK_IS(aclrtMalloc(&large, 3 * MIB, 0), 0);
  CHECK_IS(aclrtMalloc(&small, 4096, 0), 0);
  CHECK_IS((uintptr_t)large % BUFFER, 0);
  CHECK((uintptr_t)small % BUFFER != 0);
  CHECK_IS(hccl_sim_counter("device_bytes"), 4 * MIB + 4096);
}

static void aFullDeviceSaysSo(void)
{
  setenv("HCCL_SIM_DEVICE_MEMORY_MB", "4", 1);
  start_acl(0);
  void *first;
  void *second;
  void *third;
  CHECK_IS(aclrtMalloc(&first, 2 * MIB, 0), 0);
  CHECK_IS(aclrtMalloc(&second, 2 * MIB, 0), 0);
  CHECK_IS(aclrtMalloc(&third, 1, 0), 207001);
  HcclCommConfig config = config_named("full");
  HcclComm comm;
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm), HCCL_E_MEMORY);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(aclrtMalloc(&third, 2 * MIB, 0), 0);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(aclrtFree(first), 0);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm), 0);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

const struct test memory_tests[] = {
    TEST(theHostCannotTouchDeviceMemory),
    TEST(memcpyReachesDeviceMemory),
    TEST(wrongCopiesAreRefused),
    TEST(wrongAllocationsAreRefused),
    TEST(onlyLargeAllocationsAreAligned),
    TEST(aFullDeviceSaysSo),
    END_OF_TESTS,
};
