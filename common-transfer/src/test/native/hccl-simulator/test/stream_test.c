#include <string.h>

#include "check.h"
#include "node.h"

static void dataLandsLateWithoutSynchronise(void)
{
  struct node zero;
  struct node one;
  pair_new("late", &zero, &one);
  fill(&zero, PINNED_AREA, 1);
  hccl_sim_hang_copy(1);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], BUFFER), 0);
  CHECK(holds(&one, PINNED_AREA, 0, BUFFER));
  hccl_sim_reset();
  CHECK_IS(settle(&zero), 0);
  CHECK(holds(&one, PINNED_AREA, 1, BUFFER));
  node_free(&zero);
  node_free(&one);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

static void aBatchTakesItsDelay(void)
{
  struct node zero;
  struct node one;
  pair_new("delay", &zero, &one);
  hccl_sim_delay("copy", 100000);
  double started = seconds();
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK(seconds() - started >= 0.1);
  node_free(&zero);
  node_free(&one);
}

static void aSynchroniseEndsAtItsTimeout(void)
{
  struct node zero;
  struct node one;
  pair_new("slow", &zero, &one);
  hccl_sim_hang_copy(1);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(zero.stream, 20), 507046);
  CHECK_IS(hccl_sim_counter("synchronise_timeouts"), 1);
  CHECK_IS(hccl_sim_counter("bytes_put"), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(zero.stream, 0), 507046);
  hccl_sim_reset();
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(hccl_sim_counter("bytes_put"), 8);
  node_free(&zero);
  node_free(&one);
}

static void wrongSynchronisesAreRefused(void)
{
  start_acl(0);
  aclrtStream stream;
  CHECK_IS(aclrtCreateStream(NULL), 100000);
  CHECK_IS(aclrtCreateStream(&stream), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(stream, -2), 107000);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(stream, -1), 0);
  CHECK_IS(hccl_sim_misuse("endless_wait"), 1);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(NULL, 1), 107000);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(&stream, 1), 107000);
  CHECK_IS(aclrtSetDevice(1), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(stream, 1), 107003);
  CHECK_IS(aclrtDestroyStream(stream), 107003);
  CHECK_IS(hccl_sim_misuse("wrong_device"), 2);
  CHECK_IS(aclrtSetDevice(0), 0);
  CHECK_IS(aclrtDestroyStream(stream), 0);
  CHECK_IS(aclrtDestroyStream(stream), 107000);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(stream, 1), 107000);
  CHECK_IS(hccl_sim_misuse("stale_handle"), 4);
}

static void destroyingAStreamWithUnsynchronisedWorkIsMisuse(void)
{
  struct node zero;
  struct node one;
  pair_new("stream", &zero, &one);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(aclrtDestroyStream(zero.stream), 0);
  CHECK_IS(hccl_sim_misuse("unsynchronised"), 1);
  CHECK(strstr(hccl_sim_last_misuse(), "1 batches") != NULL);
  node_leave_comm(&zero);
  CHECK_IS(hccl_sim_misuse("unsynchronised"), 1);
}

static void destroyingACommWithUnsynchronisedWorkIsMisuse(void)
{
  struct node zero;
  struct node one;
  pair_new("comm", &zero, &one);
  hccl_sim_delay("copy", 200000);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  node_leave_comm(&zero);
  CHECK(hccl_sim_misuse("unsynchronised") >= 1);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(hccl_sim_counter("bytes_put"), 0);
  node_free(&zero);
}

static void givingUpAfterATimeoutIsNoMisuse(void)
{
  struct node zero;
  struct node one;
  pair_new("hung", &zero, &one);
  hccl_sim_hang_copy(1);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(aclrtSynchronizeStreamWithTimeout(zero.stream, 20), 507046);
  CHECK_IS(aclrtDestroyStream(zero.stream), 0);
  node_leave_comm(&zero);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
  CHECK_IS(hccl_sim_counter("bytes_put"), 0);
  node_free(&one);
}

static void aStreamErrorStays(void)
{
  struct node zero;
  struct node one;
  pair_new("sticky", &zero, &one);
  HcclResult error;
  hccl_sim_fail("copy", 2, HCCL_E_NETWORK);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(HcclGetCommAsyncError(one.comm, &error), 0);
  CHECK_IS(error, 0);
  CHECK_IS(settle(&zero), HCCL_E_NETWORK);
  CHECK_IS(settle(&zero), HCCL_E_NETWORK);
  CHECK_IS(HcclGetCommAsyncError(zero.comm, &error), 0);
  CHECK_IS(error, HCCL_E_NETWORK);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), HCCL_E_NETWORK);
  CHECK_IS(hccl_sim_counter("copies_failed"), 1);
  node_free(&zero);
  node_free(&one);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

static void aDeadStreamTakesNoBatchOfAnotherComm(void)
{
  struct node zero;
  struct node one;
  struct node other_zero;
  struct node other_one;
  pair_new("first", &zero, &one);
  pair_new("second", &other_zero, &other_one);
  hccl_sim_fail("copy", 1, HCCL_E_REMOTE);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&zero), HCCL_E_REMOTE);
  aclrtStream good = other_zero.stream;
  other_zero.stream = zero.stream;
  CHECK_IS(put(&other_zero, other_zero.area[PINNED_AREA], other_one.area[PINNED_AREA], 8), HCCL_E_RUNTIME);
  other_zero.stream = good;
  CHECK_IS(put(&other_zero, other_zero.area[PINNED_AREA], other_one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&other_zero), 0);
}

static void streamErrorsCanLookLikeTheRuntimes(void)
{
  hccl_sim_set("HCCL_SIM_STREAM_ERRORS", "acl");
  struct node zero;
  struct node one;
  pair_new("acl", &zero, &one);
  node_leave_comm(&one);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&zero), 507057);
  HcclResult error;
  CHECK_IS(HcclGetCommAsyncError(zero.comm, &error), 0);
  CHECK_IS(error, HCCL_E_REMOTE);
}

static void aPeerThatLeftIsRemote(void)
{
  struct node zero;
  struct node one;
  pair_new("left", &zero, &one);
  node_leave_comm(&one);
  CHECK_IS(put(&zero, zero.area[PINNED_AREA], one.area[PINNED_AREA], 8), 0);
  CHECK_IS(settle(&zero), HCCL_E_REMOTE);
  CHECK(strstr(aclGetRecentErrMsg(), "destroyed") != NULL);
  node_free(&zero);
  node_free(&one);
}

const struct test stream_tests[] = {
    TEST(dataLandsLateWithoutSynchronise),
    TEST(aBatchTakesItsDelay),
    TEST(aSynchroniseEndsAtItsTimeout),
    TEST(wrongSynchronisesAreRefused),
    TEST(destroyingAStreamWithUnsynchronisedWorkIsMisuse),
    TEST(destroyingACommWithUnsynchronisedWorkIsMisuse),
    TEST(givingUpAfterATimeoutIsNoMisuse),
    TEST(aStreamErrorStays),
    TEST(aDeadStreamTakesNoBatchOfAnotherComm),
    TEST(streamErrorsCanLookLikeTheRuntimes),
    TEST(aPeerThatLeftIsRemote),
    END_OF_TESTS,
};
