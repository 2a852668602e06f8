#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "node.h"

static void bytesMoveBetweenAllKindsOfMemory(void)
{
  struct node zero;
  struct node one;
  pair_new("kinds", &zero, &one);
  int value = 1;
  for (int from = 0; from < AREAS; from++) {
    for (int to = 0; to < AREAS; to++) {
      fill(&zero, from, value);
      CHECK_IS(put(&zero, zero.area[from], one.area[to], BUFFER), 0);
      CHECK_IS(settle(&zero), 0);
      CHECK(holds(&one, to, value, BUFFER));
      fill(&one, from, ++value);
      CHECK_IS(get(&zero, zero.area[to], one.area[from], BUFFER), 0);
      CHECK_IS(settle(&zero), 0);
      CHECK(holds(&zero, to, value, BUFFER));
      value++;
    }
  }
  CHECK_IS(hccl_sim_counter("puts"), 9);
  CHECK_IS(hccl_sim_counter("gets"), 9);
  CHECK_IS(hccl_sim_counter("descriptors"), 18);
  CHECK_IS(hccl_sim_counter("bytes_put"), 9 * BUFFER);
  CHECK_IS(hccl_sim_counter("bytes_got"), 9 * BUFFER);
  CHECK_IS(hccl_sim_counter("synchronises"), 18);
  node_free(&zero);
  node_free(&one);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
  CHECK_IS(hccl_sim_reset(), 0);
}

static void bothSidesMayPut(void)
{
  struct node zero;
  struct node one;
  pair_new("both", &zero, &one);
  fill(&zero, PINNED_AREA, 1);
  fill(&one, PINNED_AREA, 2);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[DEVICE_AREA], BUFFER), 0);
  CHECK_IS(put(&one, one.area[PINNED_AREA], zero.area[DEVICE_AREA], BUFFER), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(settle(&one), 0);
  CHECK(holds(&one, DEVICE_AREA, 1, BUFFER));
  CHECK(holds(&zero, DEVICE_AREA, 2, BUFFER));
  node_free(&zero);
  node_free(&one);
}

static void onlyTheDescribedBytesMove(void)
{
  struct node zero;
  struct node one;
  pair_new("bytes", &zero, &one);
  fill(&zero, PINNED_AREA, 1);
  char *there = one.area[PINNED_AREA];
  CHECK_IS(put(&zero, zero.area[PINNED_AREA] + 5, there + 4097, 3), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], there + BUFFER - 1, 1), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(there[4096], 0);
  CHECK_IS(there[4097], 1);
  CHECK_IS(there[4099], 1);
  CHECK_IS(there[4100], 0);
  CHECK_IS(there[BUFFER - 2], 0);
  CHECK_IS(there[BUFFER - 1], 1);
  node_free(&zero);
  node_free(&one);
}

static struct node part_node(uint32_t rank, char **host, char **device)
{
  start_acl((int32_t)rank);
  struct node node = {.rank = rank, .device = (int32_t)rank};
  HcclCommConfig config = config_named("parts");
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, rank, &config, &node.comm), 0);
  void *memory;
  CHECK_IS(aclrtMallocHost(&memory, 3 * 4096), 0);
  *host = (char *)memory + 4096 + 100;
  CHECK_IS(aclrtMalloc(&memory, 6 * MIB, 0), 0);
  *device = (char *)memory + 2 * MIB;
  HcclMem parts[2] = {{HCCL_MEM_HOST, *host, 5000}, {HCCL_MEM_DEVICE, *device, 2 * MIB}};
  for (int i = 0; i < 2; i++) {
    CHECK_IS(HcclRegisterGlobalMem(&parts[i], &node.handle[i]), 0);
    CHECK_IS(HcclCommBindMem(node.comm, node.handle[i]), 0);
  }
  CHECK_IS(aclrtCreateStream(&node.stream), 0);
  return node;
}

static void aPartOfAnAllocationMayBeRegistered(void)
{
  char *host[2];
  char *device[2];
  struct node zero = part_node(0, &host[0], &device[0]);
  struct node one = part_node(1, &host[1], &device[1]);
  node_prepare_aside(&zero, 10);
  CHECK_IS(node_prepare(&one, 10), 0);
  node_await(&zero);
  memset(host[0], 5, 5000);
  CHECK_IS(put(&zero, host[0], device[1], 5000), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(put(&one, device[1], host[0] + 1, 4999), 0);
  CHECK_IS(put(&one, device[1], host[0], 5001), HCCL_E_PARA);
  CHECK_IS(put(&one, device[1] - 1, host[0], 10), HCCL_E_PARA);
  CHECK_IS(settle(&one), 0);
  CHECK_IS(get(&zero, host[0], device[1], 2500), 0);
  CHECK_IS(get(&zero, device[0], host[1], 5000), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(host[0][-1], 0);
  CHECK_IS(host[0][4999], 5);
  CHECK_IS(host[0][5000], 0);
  memset(host[1], 6, 5000);
  CHECK_IS(put(&one, host[1], host[0], 5000), 0);
  CHECK_IS(settle(&one), 0);
  CHECK_IS(host[0][-1], 0);
  CHECK_IS(host[0][0], 6);
  CHECK_IS(host[0][4999], 6);
  CHECK_IS(host[0][5000], 0);
}

static void wrongBatchesAreRefused(void)
{
  struct node zero;
  struct node one;
  pair_new("refused", &zero, &one);
  char *here = zero.area[PINNED_AREA];
  char *there = one.area[PINNED_AREA];
  HcclOneSideOpDesc good = {here, there, 8, 7};
  CHECK_IS(HcclBatchPut(NULL, 1, &good, 1, zero.stream), HCCL_E_PTR);
  CHECK_IS(HcclBatchPut(zero.comm, 1, NULL, 1, zero.stream), HCCL_E_PTR);
  CHECK_IS(HcclBatchPut(zero.comm, 1, &good, 1, NULL), HCCL_E_PTR);
  CHECK_IS(HcclBatchPut(zero.comm, 1, &good, 0, zero.stream), HCCL_E_PARA);
  CHECK_IS(HcclBatchPut(zero.comm, 0, &good, 1, zero.stream), HCCL_E_PARA);
  CHECK_IS(HcclBatchPut(zero.comm, 2, &good, 1, zero.stream), HCCL_E_PARA);
  CHECK_IS(HcclBatchPut(zero.comm, 1, &good, 1, &good), HCCL_E_PARA);
  CHECK_IS(HcclBatchPut(&good, 1, &good, 1, zero.stream), HCCL_E_PARA);
  HcclOneSideOpDesc wrong[] = {
      {here, there, 8, 0},
      {here, there, 0, 7},
      {NULL, there, 8, 7},
      {here, NULL, 8, 7},
      {here + BUFFER - 7, there, 8, 7},
      {here, there + BUFFER - 7, 8, 7},
      {here - 1, there, 8, 7},
      {here, there - 1, 8, 7},
      {there, here, 8, 7},
      {here, there, UINT64_MAX, 7},
      {here, there, BUFFER + 1, 7},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    HcclOneSideOpDesc pair[2] = {good, wrong[i]};
    CHECK_IS(HcclBatchPut(zero.comm, 1, pair, 2, zero.stream), HCCL_E_PARA);
    CHECK_IS(HcclBatchGet(zero.comm, 1, pair, 2, zero.stream), HCCL_E_PARA);
  }
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(HcclBatchPut(zero.comm, 1, &good, 1, zero.stream), HCCL_E_PARA);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(HcclBatchPut(zero.comm, 1, &good, 1, one.stream), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("wrong_device"), 2);
  CHECK_IS(hccl_sim_counter("puts"), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(hccl_sim_counter("bytes_put"), 0);
  node_free(&zero);
  node_free(&one);
}

static void memoryThatIsOnlyRegisteredCannotBeUsed(void)
{
  struct node zero;
  struct node one;
  pair_new("unbound", &zero, &one);
  static char mine[64];
  static char theirs[64];
  void *handle;
  HcclMem memory = {HCCL_MEM_HOST, mine, sizeof mine};
  CHECK_IS(HcclRegisterGlobalMem(&memory, &handle), 0);
  CHECK_IS(put(&zero, mine, one.area[PINNED_AREA], 8), HCCL_E_PARA);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], theirs, 8), HCCL_E_PARA);
  node_free(&zero);
  node_free(&one);
}

static void anUnpreparedCommCannotPut(void)
{
  struct node node = node_new("unprepared", 0, 0);
  CHECK_IS(put(&node, node.area[PINNED_AREA], node.area[PINNED_AREA], 8), HCCL_E_PARA);
  node_free(&node);
}

static void aBatchHasAtMost256Descriptors(void)
{
  struct node zero;
  struct node one;
  pair_new("many", &zero, &one);
  fill(&zero, PINNED_AREA, 9);
  HcclOneSideOpDesc many[257];
  for (int i = 0; i < 257; i++) {
    many[i] = (HcclOneSideOpDesc){zero.area[PINNED_AREA] + i * 16, one.area[PINNED_AREA] + i * 16, 16, 7};
  }
  CHECK_IS(HcclBatchPut(zero.comm, 1, many, 257, zero.stream), HCCL_E_PARA);
  CHECK_IS(HcclBatchPut(zero.comm, 1, many, 256, zero.stream), 0);
  memset(many, 0, sizeof many);
  CHECK_IS(settle(&zero), 0);
  CHECK(holds(&one, PINNED_AREA, 9, 256 * 16));
  hccl_sim_set("HCCL_SIM_MAX_DESCRIPTORS", "1");
  CHECK_IS(HcclBatchPut(zero.comm, 1, many, 2, zero.stream), HCCL_E_PARA);
  node_free(&zero);
  node_free(&one);
}

static void memoryThatWasUnmappedFailsTheStream(void)
{
  struct node zero;
  struct node one;
  pair_new("unmapped", &zero, &one);
  munmap(one.area[FOREIGN_AREA], BUFFER);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[FOREIGN_AREA], 8), 0);
  CHECK_IS(settle(&zero), HCCL_E_NETWORK);
  CHECK(strstr(aclGetRecentErrMsg(), "Bad address") != NULL);
}

static void anUnboundSideIsFenced(void)
{
  struct node zero;
  struct node one;
  pair_new("fenced", &zero, &one);
  node_enter(&one);
  CHECK_IS(HcclCommUnbindMem(one.comm, one.handle[FOREIGN_AREA]), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[FOREIGN_AREA], 8), 0);
  CHECK_IS(settle(&zero), HCCL_E_REMOTE);
}

const struct test transfer_tests[] = {
    TEST(bytesMoveBetweenAllKindsOfMemory),
    TEST(bothSidesMayPut),
    TEST(onlyTheDescribedBytesMove),
    TEST(aPartOfAnAllocationMayBeRegistered),
    TEST(wrongBatchesAreRefused),
    TEST(memoryThatIsOnlyRegisteredCannotBeUsed),
    TEST(anUnpreparedCommCannotPut),
    TEST(aBatchHasAtMost256Descriptors),
    TEST(memoryThatWasUnmappedFailsTheStream),
    TEST(anUnboundSideIsFenced),
    END_OF_TESTS,
};
