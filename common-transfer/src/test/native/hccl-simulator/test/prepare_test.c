#include <string.h>

#include "check.h"
#include "node.h"

static void aPeerThatDoesNotComeIsAwaitedForTheTimeout(void)
{
  for (uint32_t rank = 0; rank < 2; rank++) {
    struct node node = node_new("lonely", rank, (int32_t)rank);
    double started = seconds();
    CHECK_IS(node_prepare(&node, 1), HCCL_E_TIMEOUT);
    double took = seconds() - started;
    CHECK(took >= 1 && took < 5);
    node_free(&node);
  }
  CHECK_IS(hccl_sim_counter("prepares_failed"), 2);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

static void aFailedPrepareKeepsItsNameUntilDestroyed(void)
{
  struct node node = node_new("failed", 0, 0);
  HcclCommConfig config = config_named("failed");
  HcclComm again;
  CHECK_IS(node_prepare(&node, 1), HCCL_E_TIMEOUT);
  CHECK_IS(node_prepare(&node, 1), HCCL_E_INTERNAL);
  CHECK_IS(hccl_sim_misuse("after_failure"), 1);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &again), HCCL_E_PARA);
  CHECK(strstr(aclGetRecentErrMsg(), "prepare failed") != NULL);
  node_leave_comm(&node);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &again), 0);
  CHECK_IS(HcclCommDestroy(again), 0);
  node_free(&node);
}

static void bothSidesMeetWhoeverComesFirst(void)
{
  for (int round = 0; round < 2; round++) {
    struct node nodes[2] = {node_new("meet", 0, 0), node_new("meet", 1, 1)};
    node_prepare_aside(&nodes[round], 5);
    if (round == 0) {
      await_listener();
    }
    CHECK_IS(node_prepare(&nodes[1 - round], 5), 0);
    node_await(&nodes[round]);
    CHECK_IS(nodes[round].prepared, 0);
    CHECK_IS(node_prepare(&nodes[round], 5), 0);
    node_free(&nodes[0]);
    node_free(&nodes[1]);
  }
  CHECK_IS(hccl_sim_counter("prepares"), 4);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

static void manyPairsPrepareAtOnce(void)
{
  enum { PAIRS = 16 };
  struct node zero[PAIRS];
  struct node one[PAIRS];
  for (int i = 0; i < PAIRS; i++) {
    char name[32];
    snprintf(name, sizeof name, "pair-%d", i);
    zero[i] = node_new(name, 0, 0);
    one[i] = node_new(name, 1, 1);
  }
  for (int i = 0; i < PAIRS; i++) {
    node_prepare_aside(&zero[i], 10);
    node_prepare_aside(&one[PAIRS - 1 - i], 10);
  }
  for (int i = 0; i < PAIRS; i++) {
    node_await(&zero[i]);
    node_await(&one[i]);
    CHECK_IS(zero[i].prepared, 0);
    CHECK_IS(one[i].prepared, 0);
  }
  for (int i = 0; i < PAIRS; i++) {
    node_free(&zero[i]);
    node_free(&one[i]);
  }
  CHECK_IS(hccl_sim_counter("comms_alive"), 0);
}

static void differentRankTablesDoNotMeet(void)
{
  struct node zero = node_new("tables", 0, 0);
  struct node one = {.rank = 1, .device = 1};
  char table[1024];
  snprintf(table, sizeof table, "%s ", pair_table);
  HcclCommConfig config = config_named("tables");
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(table, 1, &config, &one.comm), 0);
  node_prepare_aside(&zero, 5);
  CHECK_IS(node_prepare(&one, 5), HCCL_E_PARA);
  node_await(&zero);
  CHECK_IS(zero.prepared, HCCL_E_PARA);
}

static void wrongPreparesAreRefused(void)
{
  struct node node = node_new("wrong", 0, 0);
  HcclPrepareConfig config = {0};
  CHECK_IS(HcclCommPrepare(node.comm, NULL, 1), HCCL_E_PTR);
  CHECK_IS(HcclCommPrepare(NULL, &config, 1), HCCL_E_PTR);
  CHECK_IS(HcclCommPrepare(&node, &config, 1), HCCL_E_PARA);
  CHECK_IS(HcclCommPrepare(node.comm, &config, -2), HCCL_E_PARA);
  config.topoType = 1;
  CHECK_IS(HcclCommPrepare(node.comm, &config, 1), HCCL_E_PARA);
  config = (HcclPrepareConfig){.rsvd2 = 1};
  CHECK_IS(HcclCommPrepare(node.comm, &config, 1), HCCL_E_PARA);
  config = (HcclPrepareConfig){0};
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(HcclCommPrepare(node.comm, &config, 1), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("wrong_device"), 1);
  node_free(&node);
}

static void aPrepareWithoutTimeoutIsMisuse(void)
{
  struct node zero = node_new("endless", 0, 0);
  struct node one = node_new("endless", 1, 1);
  node_prepare_aside(&zero, 0);
  CHECK_IS(node_prepare(&one, -1), 0);
  node_await(&zero);
  CHECK_IS(hccl_sim_misuse("endless_wait"), 2);
  node_free(&zero);
  node_free(&one);
}

static void aCommInPrepareCannotBeTouched(void)
{
  struct node node = node_new("busy", 0, 0);
  struct node peer = node_new("busy", 1, 1);
  node_prepare_aside(&node, 20);
  await_listener();
  node_enter(&node);
  CHECK_IS(HcclCommUnbindMem(node.comm, node.handle[0]), HCCL_E_PARA);
  CHECK_IS(HcclCommDestroy(node.comm), HCCL_E_PARA);
  CHECK_IS(node_prepare(&node, 1), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("still_in_use"), 3);
  CHECK_IS(node_prepare(&peer, 20), 0);
  node_await(&node);
  CHECK_IS(node.prepared, 0);
  node_free(&node);
  node_free(&peer);
}

static void memoryBoundAfterPrepareIsMisuse(void)
{
  struct node zero;
  struct node one;
  pair_new("late", &zero, &one);
  char host[64];
  HcclMem memory = {HCCL_MEM_HOST, host, sizeof host};
  void *handle;
  CHECK_IS(HcclRegisterGlobalMem(&memory, &handle), 0);
  CHECK_IS(HcclCommBindMem(zero.comm, handle), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("after_failure"), 1);
  node_free(&zero);
  node_free(&one);
}

const struct test prepare_tests[] = {
    TEST(aPeerThatDoesNotComeIsAwaitedForTheTimeout),
    TEST(aFailedPrepareKeepsItsNameUntilDestroyed),
    TEST(bothSidesMeetWhoeverComesFirst),
    TEST(manyPairsPrepareAtOnce),
    TEST(differentRankTablesDoNotMeet),
    TEST(wrongPreparesAreRefused),
    TEST(aPrepareWithoutTimeoutIsMisuse),
    TEST(aCommInPrepareCannotBeTouched),
    TEST(memoryBoundAfterPrepareIsMisuse),
    END_OF_TESTS,
};
