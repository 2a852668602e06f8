#include <string.h>

#include "check.h"
#include "node.h"

static HcclResult init_named(const char *table, uint32_t rank, const char *name, HcclComm *comm)
{
  HcclCommConfig config = config_named(name);
  return HcclCommInitClusterInfoMemConfig(table, rank, &config, comm);
}

static HcclResult init_with(const char *table, uint32_t rank)
{
  HcclComm comm;
  HcclResult result = init_named(table, rank, "table", &comm);
  if (result == 0) {
    CHECK_IS(HcclCommDestroy(comm), 0);
  }
  return result;
}

/* The usual table with one passage replaced. */
static HcclResult init_replaced(const char *passage, const char *by)
{
  char table[1024];
  const char *found = strstr(pair_table, passage);
  CHECK(found != NULL);
  snprintf(table, sizeof table, "%.*s%s%s", (int)(found - pair_table), pair_table, by, found + strlen(passage));
  return init_with(table, 0);
}

static void wrongRankTablesAreRefused(void)
{
  start_acl(0);
  CHECK_IS(init_with(pair_table, 0), 0);
  CHECK_IS(init_with("", 0), HCCL_E_PARA);
  CHECK_IS(init_with("{", 0), HCCL_E_PARA);
  CHECK_IS(init_with("[]", 0), HCCL_E_PARA);
  CHECK_IS(init_replaced("completed\"}", "completed\"}}"), HCCL_E_PARA);
  CHECK_IS(init_replaced("completed", "initializing"), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"1.0\"", "\"1.2\""), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"1.0\"", "1.0"), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"server_count\":\"1\"", "\"server_count\":\"2\""), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"server_count\":\"1\"", "\"server_count\":1"), HCCL_E_PARA);
  CHECK_IS(init_replaced("server_list", "servers"), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"here\"", "\"\""), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"rank_id\":\"1\"", "\"rank_id\":\"0\""), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"rank_id\":\"1\"", "\"rank_id\":1"), HCCL_E_PARA);
  CHECK_IS(init_replaced("\"rank_id\":\"1\"", "\"rank_id\":\"2\""), HCCL_E_NOT_SUPPORT);
  CHECK_IS(init_replaced("\"device_id\":\"1\"", "\"device_id\":\"0\""), HCCL_E_PARA);
  CHECK_IS(init_replaced("10.0.0.2", "10.0.0"), HCCL_E_PARA);
  CHECK_IS(init_replaced("10.0.0.2", "10.0.0.1"), HCCL_E_PARA);
  CHECK_IS(init_replaced("10.0.0.2", "fe80::1"), 0);
  CHECK_IS(init_replaced("},{\"device_id\"", "}]},{\"server_id\":\"here\",\"device\":[{\"device_id\""), HCCL_E_PARA);
}

static void aTableOfTwoServersIsAccepted(void)
{
  start_acl(0);
  CHECK_IS(init_with("{\"version\":\"1.0\",\"server_count\":\"2\",\"server_list\":["
                     "{\"server_id\":\"a\",\"device\":[{\"device_id\":\"0\",\"rank_id\":\"0\",\"device_ip\":\"10.0.0.1\"}]},"
                     "{\"server_id\":\"b\",\"device\":[{\"device_id\":\"0\",\"rank_id\":\"1\",\"device_ip\":\"10.0.0.2\"}]}],"
                     "\"status\":\"completed\"}",
                     0),
           0);
}

#define A3_SERVERS                                                                                                  \
  "{\"version\":\"1.2\",\"server_count\":\"2\",\"server_list\":["                                                   \
  "{\"server_id\":\"a\",\"device\":[{\"device_id\":\"0\",\"super_device_id\":\"7\",\"rank_id\":\"0\","              \
  "\"device_ip\":\"10.0.0.1\"}]},"                                                                                  \
  "{\"server_id\":\"b\",\"device\":[{\"device_id\":\"0\",\"super_device_id\":\"8\",\"rank_id\":\"1\","              \
  "\"device_ip\":\"10.0.0.2\"}]}],\"status\":\"completed\""

static void anA3NeedsSuperPods(void)
{
  hccl_sim_set("HCCL_SIM_SOC", "Ascend910_9391");
  start_acl(0);
  CHECK_IS(init_with(pair_table, 0), HCCL_E_PARA);
  CHECK_IS(init_with(A3_SERVERS "}", 0), HCCL_E_PARA);
  CHECK_IS(init_with(A3_SERVERS ",\"super_pod_list\":[{\"super_pod_id\":\"p\",\"server_list\":[{\"server_id\":\"a\"}]}]}",
                     0),
           HCCL_E_PARA);
  CHECK_IS(init_with(A3_SERVERS ",\"super_pod_list\":[{\"super_pod_id\":\"p\",\"server_list\":[{\"server_id\":\"a\"},"
                                "{\"server_id\":\"b\"}]}]}",
                     0),
           0);
}

static void theOwnRankMustSitOnTheThreadsDevice(void)
{
  setenv("ASCEND_RT_VISIBLE_DEVICES", "1,0", 1);
  start_acl(0);
  CHECK_IS(init_with(pair_table, 0), HCCL_E_PARA);
  CHECK_IS(init_with(pair_table, 1), 0);
  CHECK_IS(init_with(pair_table, 2), HCCL_E_PARA);
}

static void missingPointersAreRefused(void)
{
  start_acl(0);
  HcclCommConfig config = config_named("null");
  HcclComm comm;
  HcclResult error;
  CHECK_IS(HcclCommInitClusterInfoMemConfig(NULL, 0, &config, &comm), HCCL_E_PTR);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, NULL, &comm), HCCL_E_PTR);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, NULL), HCCL_E_PTR);
  CHECK_IS(HcclCommDestroy(NULL), HCCL_E_PTR);
  CHECK_IS(HcclGetCommAsyncError(NULL, &error), HCCL_E_PTR);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm), 0);
  CHECK_IS(HcclGetCommAsyncError(comm, NULL), HCCL_E_PTR);
  CHECK_IS(HcclGetCommAsyncError(comm, &error), 0);
  CHECK_IS(error, 0);
}

static void aNameIsTakenUntilItIsDestroyed(void)
{
  start_acl(0);
  HcclComm first;
  HcclComm second;
  CHECK_IS(init_named(pair_table, 0, "name", &first), 0);
  CHECK_IS(init_named(pair_table, 0, "name", &second), HCCL_E_PARA);
  CHECK(strstr(aclGetRecentErrMsg(), "comm name exists") != NULL);
  CHECK_IS(hccl_sim_misuse("name_exists"), 1);
  CHECK_IS(HcclCommDestroy(first), 0);
  CHECK_IS(init_named(pair_table, 0, "name", &second), 0);
  CHECK_IS(HcclCommDestroy(first), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("stale_handle"), 1);
  CHECK_IS(HcclCommDestroy(second), 0);
  CHECK_IS(hccl_sim_counter("comms_made"), 2);
  CHECK_IS(hccl_sim_counter("comms_destroyed"), 2);
}

static void aBufferCostsDeviceMemory(void)
{
  start_acl(0);
  HcclCommConfig config = config_named("buffer");
  config.bufferSizeMB = HCCL_CONFIG_NOT_SET;
  HcclComm comm;
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm), 0);
  CHECK_IS(hccl_sim_counter("device_bytes"), 200 * MIB);
  CHECK_IS(HcclCommDestroy(comm), 0);
  CHECK_IS(hccl_sim_counter("device_bytes"), 0);
}

const struct test comm_tests[] = {
    TEST(wrongRankTablesAreRefused),
    TEST(aTableOfTwoServersIsAccepted),
    TEST(anA3NeedsSuperPods),
    TEST(theOwnRankMustSitOnTheThreadsDevice),
    TEST(missingPointersAreRefused),
    TEST(aNameIsTakenUntilItIsDestroyed),
    TEST(aBufferCostsDeviceMemory),
    END_OF_TESTS,
};
