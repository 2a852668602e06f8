#include "node.h"

#include <glob.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

const char *const pair_table =
    "{\"version\":\"1.0\",\"server_count\":\"1\",\"server_list\":[{\"server_id\":\"here\",\"device\":["
    "{\"device_id\":\"0\",\"rank_id\":\"0\",\"device_ip\":\"10.0.0.1\"},"
    "{\"device_id\":\"1\",\"rank_id\":\"1\",\"device_ip\":\"10.0.0.2\"}]}],\"status\":\"completed\"}";

void start_acl(int32_t device)
{
  int32_t result = aclInit(NULL);
  CHECK(result == 0 || result == 100002);
  CHECK_IS(aclrtSetDevice(device), 0);
}

HcclCommConfig config_named(const char *name)
{
  HcclCommConfig config;
  memset(&config, 0, sizeof config);
  HcclCommConfigHeader header = {.size = 300, .magic = 0xF0F0F0F0u, .version = 5};
  memcpy(&config, &header, sizeof header);
  config.bufferSizeMB = 1;
  config.deterministic = HCCL_CONFIG_NOT_SET;
  config.rdmaTrafficClass = 132;
  config.rdmaServiceLevel = 4;
  strncpy(config.commName, name, sizeof config.commName - 1);
  return config;
}

static void allocate(struct node *node)
{
  void *memory;
  CHECK_IS(aclrtMalloc(&memory, BUFFER, 0), 0);
  node->area[DEVICE_AREA] = memory;
  CHECK_IS(aclrtMallocHost(&memory, BUFFER), 0);
  node->area[PINNED_AREA] = memory;
  memory = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  node->area[FOREIGN_AREA] = memory;
}

struct node node_new(const char *name, uint32_t rank, int32_t device)
{
  struct node node = {.rank = rank, .device = device};
  start_acl(device);
  allocate(&node);
  HcclCommConfig config = config_named(name);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, rank, &config, &node.comm), 0);
  for (int i = 0; i < AREAS; i++) {
    HcclMem memory = {i == DEVICE_AREA ? HCCL_MEM_DEVICE : HCCL_MEM_HOST, node.area[i], BUFFER};
    CHECK_IS(HcclRegisterGlobalMem(&memory, &node.handle[i]), 0);
    CHECK_IS(HcclCommBindMem(node.comm, node.handle[i]), 0);
  }
  CHECK_IS(aclrtCreateStream(&node.stream), 0);
  return node;
}

int32_t node_prepare(struct node *node, int timeout_s)
{
  HcclPrepareConfig config = {0};
  CHECK_IS(aclrtSetDevice(node->device), 0);
  return HcclCommPrepare(node->comm, &config, timeout_s);
}

static void *prepare_aside(void *argument)
{
  struct node *node = argument;
  node->prepared = node_prepare(node, node->timeout_s);
  return NULL;
}

void node_prepare_aside(struct node *node, int timeout_s)
{
  node->timeout_s = timeout_s;
  CHECK_IS(pthread_create(&node->thread, NULL, prepare_aside, node), 0);
}

void node_await(struct node *node)
{
  CHECK_IS(pthread_join(node->thread, NULL), 0);
}

void pair_new(const char *name, struct node *zero, struct node *one)
{
  *zero = node_new(name, 0, 0);
  *one = node_new(name, 1, 1);
  node_prepare_aside(zero, 10);
  CHECK_IS(node_prepare(one, 10), 0);
  node_await(zero);
  CHECK_IS(zero->prepared, 0);
  node_enter(zero);
}

void node_enter(const struct node *node)
{
  CHECK_IS(aclrtSetDevice(node->device), 0);
}

void node_leave_comm(struct node *node)
{
  node_enter(node);
  for (int i = 0; i < AREAS; i++) {
    CHECK_IS(HcclCommUnbindMem(node->comm, node->handle[i]), 0);
  }
  CHECK_IS(HcclCommDestroy(node->comm), 0);
  node->comm = NULL;
}

void node_free(struct node *node)
{
  if (node->comm != NULL) {
    node_leave_comm(node);
  }
  node_enter(node);
  CHECK_IS(aclrtDestroyStream(node->stream), 0);
  for (int i = 0; i < AREAS; i++) {
    CHECK_IS(HcclDeregisterGlobalMem(node->handle[i]), 0);
  }
  CHECK_IS(aclrtFree(node->area[DEVICE_AREA]), 0);
  CHECK_IS(aclrtFreeHost(node->area[PINNED_AREA]), 0);
  munmap(node->area[FOREIGN_AREA], BUFFER);
}

double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void await_listener(void)
{
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/*.sock", getenv("HCCL_SIM_DIR"));
  double deadline = seconds() + 20;
  for (;;) {
    glob_t found;
    int missing = glob(pattern, 0, NULL, &found);
    globfree(&found);
    if (missing == 0) {
      return;
    }
    CHECK(seconds() < deadline);
    usleep(2000);
  }
}

static HcclOneSideOpDesc descriptor(const void *local, const void *remote, uint64_t count)
{
  return (HcclOneSideOpDesc){(void *)(uintptr_t)local, (void *)(uintptr_t)remote, count, HCCL_DATA_UINT8};
}

int32_t put(struct node *node, const void *local, const void *remote, uint64_t count)
{
  HcclOneSideOpDesc one = descriptor(local, remote, count);
  node_enter(node);
  return HcclBatchPut(node->comm, 1 - node->rank, &one, 1, node->stream);
}

int32_t get(struct node *node, void *local, const void *remote, uint64_t count)
{
  HcclOneSideOpDesc one = descriptor(local, remote, count);
  node_enter(node);
  return HcclBatchGet(node->comm, 1 - node->rank, &one, 1, node->stream);
}

int32_t settle(struct node *node)
{
  node_enter(node);
  return aclrtSynchronizeStreamWithTimeout(node->stream, 10000);
}

void fill(struct node *node, int area, int value)
{
  if (area != DEVICE_AREA) {
    memset(node->area[area], value, BUFFER);
    return;
  }
  char *bytes = malloc(BUFFER);
  memset(bytes, value, BUFFER);
  node_enter(node);
  CHECK_IS(aclrtMemcpy(node->area[area], BUFFER, bytes, BUFFER, ACL_H2D), 0);
  free(bytes);
}

bool holds(struct node *node, int area, int value, size_t count)
{
  char *bytes = malloc(count);
  if (area == DEVICE_AREA) {
    node_enter(node);
    CHECK_IS(aclrtMemcpy(bytes, count, node->area[area], count, ACL_D2H), 0);
  } else {
    memcpy(bytes, node->area[area], count);
  }
  size_t same = 0;
  while (same < count && bytes[same] == (char)value) {
    same++;
  }
  free(bytes);
  return same == count;
}
