#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "node.h"

static pthread_barrier_t together;

static void *init_and_destroy(void *argument)
{
  int32_t device = *(int32_t *)argument;
  CHECK_IS(aclrtSetDevice(device), 0);
  HcclCommConfig config = config_named("race");
  HcclComm comm;
  pthread_barrier_wait(&together);
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, (uint32_t)device, &config, &comm), 0);
  CHECK_IS(HcclCommDestroy(comm), 0);
  return NULL;
}

static void enter_together(void)
{
  start_acl(0);
  hccl_sim_delay("gate", 200000);
  pthread_barrier_init(&together, NULL, 2);
  int32_t devices[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    CHECK_IS(pthread_create(&threads[i], NULL, init_and_destroy, &devices[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    CHECK_IS(pthread_join(threads[i], NULL), 0);
  }
}

static void concurrentEntryAborts(void)
{
  pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    enter_together();
    exit(0);
  }
  int status;
  CHECK_IS(waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status));
  CHECK_IS(WTERMSIG(status), SIGABRT);
}

static void concurrentEntryIsRecorded(void)
{
  hccl_sim_set("HCCL_SIM_ON_RACE", "record");
  enter_together();
  CHECK(hccl_sim_misuse("race") >= 1);
  CHECK(strstr(hccl_sim_last_misuse(), "not thread-safe") != NULL);
  CHECK_IS(hccl_sim_counter("comms_destroyed"), 2);
}

static void prepareIsNoEntry(void)
{
  struct node zero = node_new("gate", 0, 0);
  struct node one = node_new("gate", 1, 1);
  node_prepare_aside(&zero, 5);
  await_listener();
  HcclCommConfig config = config_named("meanwhile");
  HcclComm comm;
  CHECK_IS(HcclCommInitClusterInfoMemConfig(pair_table, 1, &config, &comm), 0);
  CHECK_IS(HcclCommDestroy(comm), 0);
  CHECK_IS(node_prepare(&one, 5), 0);
  node_await(&zero);
  node_free(&zero);
  node_free(&one);
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

const struct test race_tests[] = {
    TEST(concurrentEntryAborts),
    TEST(concurrentEntryIsRecorded),
    TEST(prepareIsNoEntry),
    END_OF_TESTS,
};
