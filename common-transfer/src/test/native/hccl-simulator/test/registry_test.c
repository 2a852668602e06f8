#include <sys/mman.h>

#include "check.h"
#include "node.h"

static int32_t enlist(int32_t type, void *address, uint64_t size)
{
  HcclMem memory = {type, address, size};
  void *handle;
  return HcclRegisterGlobalMem(&memory, &handle);
}

static void deviceBuffersMustBeAlignedAndWhole(void)
{
  start_acl(0);
  void *memory;
  void *small;
  CHECK_IS(aclrtMalloc(&memory, 8 * MIB, 0), 0);
  CHECK_IS(aclrtMalloc(&small, 4096, 0), 0);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, (char *)memory + 4096, 2 * MIB), 503900);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, small, 4096), 503900);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, memory, 3 * MIB), 507899);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, memory, 10 * MIB), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, (char *)memory + 2 * MIB, 2 * MIB), 0);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, memory, 2 * MIB), 0);
}

static void wrongMemoryIsRefused(void)
{
  start_acl(0);
  void *device;
  void *host;
  CHECK_IS(aclrtMalloc(&device, BUFFER, 0), 0);
  CHECK_IS(aclrtMallocHost(&host, BUFFER), 0);
  CHECK_IS(HcclRegisterGlobalMem(NULL, &host), HCCL_E_PTR);
  HcclMem memory = {HCCL_MEM_HOST, host, BUFFER};
  CHECK_IS(HcclRegisterGlobalMem(&memory, NULL), HCCL_E_PTR);
  CHECK_IS(enlist(HCCL_MEM_HOST, NULL, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_HOST, host, 0), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_HOST, host, UINT64_MAX), HCCL_E_PARA);
  CHECK_IS(enlist(2, host, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(-1, host, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, host, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_HOST, device, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_HOST, (void *)4096, BUFFER), HCCL_E_PARA);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(enlist(HCCL_MEM_DEVICE, device, BUFFER), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("wrong_device"), 1);
  CHECK_IS(hccl_sim_counter("registrations"), 0);
}

static void nothingIsRegisteredTwice(void)
{
  start_acl(0);
  char *host = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  HcclMem memory = {HCCL_MEM_HOST, host, BUFFER};
  void *handle;
  CHECK_IS(HcclRegisterGlobalMem(&memory, &handle), 0);
  CHECK_IS(enlist(HCCL_MEM_HOST, host, BUFFER), HCCL_E_PARA);
  CHECK_IS(enlist(HCCL_MEM_HOST, host + BUFFER - 1, 1), HCCL_E_PARA);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(enlist(HCCL_MEM_HOST, host, 1), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("registered_twice"), 3);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(HcclDeregisterGlobalMem(handle), 0);
  CHECK_IS(enlist(HCCL_MEM_HOST, host, BUFFER), 0);
}

static void staleHandlesAreRecognised(void)
{
  start_acl(0);
  char host[64];
  HcclMem memory = {HCCL_MEM_HOST, host, sizeof host};
  void *handle;
  CHECK_IS(HcclRegisterGlobalMem(&memory, &handle), 0);
  CHECK_IS(HcclDeregisterGlobalMem(handle), 0);
  CHECK_IS(HcclDeregisterGlobalMem(handle), HCCL_E_PARA);
  CHECK_IS(HcclDeregisterGlobalMem(NULL), HCCL_E_PARA);
  CHECK_IS(HcclDeregisterGlobalMem(host), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("stale_handle"), 3);
}

static void whatIsUsedStays(void)
{
  struct node node = node_new("used", 0, 0);
  CHECK_IS(HcclDeregisterGlobalMem(node.handle[PINNED_AREA]), HCCL_E_PARA);
  CHECK_IS(HcclCommDestroy(node.comm), HCCL_E_PARA);
  CHECK_IS(aclrtFree(node.area[DEVICE_AREA]), 507899);
  CHECK_IS(aclrtFreeHost(node.area[PINNED_AREA]), 507899);
  CHECK_IS(hccl_sim_misuse("still_in_use"), 4);
  CHECK_IS(hccl_sim_counter("bound_alive"), AREAS);
  CHECK_IS(hccl_sim_counter("registered_alive"), AREAS);
  node_free(&node);
  CHECK_IS(hccl_sim_counter("bound_alive"), 0);
  CHECK_IS(hccl_sim_counter("registered_alive"), 0);
  CHECK_IS(hccl_sim_counter("comms_alive"), 0);
  CHECK_IS(hccl_sim_reset(), 0);
}

static void wrongBindsAreRefused(void)
{
  struct node node = node_new("binds", 0, 0);
  void *handle = node.handle[DEVICE_AREA];
  CHECK_IS(HcclCommBindMem(node.comm, handle), HCCL_E_PARA);
  CHECK_IS(HcclCommBindMem(NULL, handle), HCCL_E_PTR);
  CHECK_IS(HcclCommBindMem(handle, handle), HCCL_E_PARA);
  CHECK_IS(HcclCommBindMem(node.comm, NULL), HCCL_E_PARA);
  CHECK_IS(HcclCommUnbindMem(node.comm, NULL), HCCL_E_PARA);
  CHECK_IS(HcclCommUnbindMem(NULL, handle), HCCL_E_PTR);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(HcclCommUnbindMem(node.comm, handle), HCCL_E_PARA);
  CHECK_IS(HcclCommDestroy(node.comm), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("wrong_device"), 2);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(HcclCommUnbindMem(node.comm, handle), 0);
  CHECK_IS(HcclCommUnbindMem(node.comm, handle), HCCL_E_PARA);
  CHECK_IS(HcclCommBindMem(node.comm, handle), 0);
  node_free(&node);
}

const struct test registry_tests[] = {
    TEST(deviceBuffersMustBeAlignedAndWhole),
    TEST(wrongMemoryIsRefused),
    TEST(nothingIsRegisteredTwice),
    TEST(staleHandlesAreRecognised),
    TEST(whatIsUsedStays),
    TEST(wrongBindsAreRefused),
    END_OF_TESTS,
};
