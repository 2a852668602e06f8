#include <string.h>

#include "check.h"
#include "node.h"

/* Written byte by byte from the description, without the header's structs. */
static void place(unsigned char *bytes, size_t at, uint64_t value, size_t size)
{
  memcpy(bytes + at, &value, size);
}

static void aConfigOf300BytesWrittenByHandIsAccepted(void)
{
  unsigned char bytes[300] = {0};
  place(bytes, 0, 300, 8);
  place(bytes, 8, 0xF0F0F0F0u, 4);
  place(bytes, 12, 5, 4);
  place(bytes, 24, 4, 4);
  place(bytes, 28, 0xFFFFFFFFu, 4);
  memcpy(bytes + 32, "by-hand", 8);
  place(bytes, 292, 0xFFFFFFFFu, 4);
  place(bytes, 296, 0xFFFFFFFFu, 4);
  start_acl(0);
  HcclComm comm;
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 0, (HcclCommConfig *)(void *)bytes, &comm), 0);
  CHECK_IS(hccl_sim_counter("device_bytes"), 4 * MIB);
  CHECK_IS(HcclCommDestroy(comm), 0);
}

static void descriptorsWrittenByHandMoveBytes(void)
{
  struct node zero;
  struct node one;
  pair_new("by-hand", &zero, &one);
  fill(&zero, PINNED_AREA, 3);
  uint64_t words[8] = {(uintptr_t)zero.area[PINNED_AREA],      (uintptr_t)one.area[PINNED_AREA],      100, 7,
                       (uintptr_t)zero.area[PINNED_AREA] + 50, (uintptr_t)one.area[PINNED_AREA] + 100, 28,  7};
  node_enter(&zero);
  CHECK_IS(HcclBatchPut(zero.comm, 1, (HcclOneSideOpDesc *)(void *)words, 2, zero.stream), 0);
  CHECK_IS(settle(&zero), 0);
  CHECK(holds(&one, PINNED_AREA, 3, 128));
  CHECK_IS(one.area[PINNED_AREA][128], 0);
  node_free(&zero);
  node_free(&one);
}

static HcclResult init_with(HcclCommConfig config)
{
  HcclComm comm;
  return HcclCommInitClusterInfoMemConfig(pair_table, 0, &config, &comm);
}

static HcclResult init_with_header(HcclCommConfigHeader header)
{
  HcclCommConfig config = config_named("header");
  memcpy(&config, &header, sizeof header);
  return init_with(config);
}

static void wrongHeadersAreRefused(void)
{
  start_acl(0);
  CHECK_IS(init_with_header((HcclCommConfigHeader){300, 0x0F0F0F0Fu, 5, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){304, 0xF0F0F0F0u, 5, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){276, 0xF0F0F0F0u, 5, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){0, 0xF0F0F0F0u, 5, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){300, 0xF0F0F0F0u, 4, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){300, 0xF0F0F0F0u, 0, 0}), HCCL_E_PARA);
  CHECK_IS(init_with_header((HcclCommConfigHeader){300, 0xF0F0F0F0u, 5, 1}), HCCL_E_PARA);
  CHECK_IS(hccl_sim_misuse("bad_argument"), 7);
  CHECK_IS(hccl_sim_counter("comms_made"), 0);
}

static void wrongFieldsAreRefused(void)
{
  start_acl(0);
  HcclCommConfig config = config_named("field");
  config.bufferSizeMB = 0;
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  config.deterministic = 3;
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("");
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  memset(config.commName, 'x', sizeof config.commName);
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  memset(config.udi, 'x', sizeof config.udi);
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  config.opExpansionMode = 4;
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  config.rdmaTrafficClass = 133;
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  config.rdmaTrafficClass = 256;
  CHECK_IS(init_with(config), HCCL_E_PARA);
  config = config_named("field");
  config.rdmaServiceLevel = 8;
  CHECK_IS(init_with(config), HCCL_E_PARA);
}

const struct test layout_tests[] = {
    TEST(aConfigOf300BytesWrittenByHandIsAccepted),
    TEST(descriptorsWrittenByHandMoveBytes),
    TEST(wrongHeadersAreRefused),
    TEST(wrongFieldsAreRefused),
    END_OF_TESTS,
};
