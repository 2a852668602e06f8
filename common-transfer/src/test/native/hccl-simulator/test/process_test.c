#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "node.h"

/* A line to the other process. */
static int line;
static pid_t other;

/* Forks before anything of the simulator runs; returns the rank of this process. */
static uint32_t split(void)
{
  int ends[2];
  CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  other = fork();
  uint32_t rank = other == 0 ? 1 : 0;
  line = ends[rank];
  close(ends[1 - rank]);
  if (rank == 1) {
    alarm(50);
  }
  return rank;
}

static void say(uint64_t word)
{
  CHECK_IS(write(line, &word, sizeof word), sizeof word);
}

static uint64_t hear(void)
{
  uint64_t word;
  CHECK_IS(read(line, &word, sizeof word), sizeof word);
  return word;
}

static void join_other(void)
{
  int status;
  CHECK_IS(waitpid(other, &status, 0), other);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct node prepared_node(const char *name, uint32_t rank)
{
  struct node node = node_new(name, rank, (int32_t)rank);
  CHECK_IS(node_prepare(&node, 10), 0);
  return node;
}

static void send_areas(const struct node *node)
{
  for (int i = 0; i < AREAS; i++) {
    say((uintptr_t)node->area[i]);
  }
}

static void receive_areas(char *areas[AREAS])
{
  for (int i = 0; i < AREAS; i++) {
    areas[i] = (char *)(uintptr_t)hear();
  }
}

static void bytesCrossProcesses(void)
{
  uint32_t rank = split();
  struct node node = prepared_node("cross", rank);
  char *there[AREAS];
  send_areas(&node);
  receive_areas(there);
  if (rank == 0) {
    int value = 1;
    for (int from = 0; from < AREAS; from++) {
      for (int to = 0; to < AREAS; to++, value++) {
        fill(&node, from, value);
        CHECK_IS(put(&node, node.area[from], there[to], BUFFER), 0);
        CHECK_IS(settle(&node), 0);
        say((uint64_t)to);
        CHECK_IS(hear(), 0);
        CHECK_IS(get(&node, node.area[from], there[to], BUFFER), 0);
        CHECK_IS(settle(&node), 0);
        CHECK(holds(&node, from, value + 100, BUFFER));
      }
    }
    say(0);
    node_free(&node);
    join_other();
  } else {
    for (int value = 1; value <= AREAS * AREAS; value++) {
      int area = (int)hear();
      CHECK(holds(&node, area, value, BUFFER));
      fill(&node, area, value + 100);
      say(0);
    }
    hear();
    node_free(&node);
  }
  CHECK_IS(hccl_sim_misuse(NULL), 0);
}

static void aDeadPeerIsNoticed(void)
{
  uint32_t rank = split();
  struct node node = prepared_node("dead", rank);
  char *there[AREAS];
  send_areas(&node);
  receive_areas(there);
  if (rank == 1) {
    pause();
  }
  HcclResult error;
  CHECK_IS(put(&node, node.area[0], there[0], 8), 0);
  CHECK_IS(settle(&node), 0);
  CHECK_IS(kill(other, SIGKILL), 0);
  CHECK_IS(waitpid(other, NULL, 0), other);
  CHECK_IS(put(&node, node.area[0], there[0], 8), 0);
  CHECK_IS(settle(&node), HCCL_E_NETWORK);
  CHECK_IS(HcclGetCommAsyncError(node.comm, &error), 0);
  CHECK_IS(error, HCCL_E_NETWORK);
  node_free(&node);
}

static void anIdleDeadPeerShowsAsAsyncError(void)
{
  uint32_t rank = split();
  struct node node = prepared_node("idle", rank);
  if (rank == 1) {
    pause();
  }
  HcclResult error = -1;
  CHECK_IS(HcclGetCommAsyncError(node.comm, &error), 0);
  CHECK_IS(error, 0);
  CHECK_IS(kill(other, SIGKILL), 0);
  CHECK_IS(waitpid(other, NULL, 0), other);
  CHECK_IS(HcclGetCommAsyncError(node.comm, &error), 0);
  CHECK_IS(error, HCCL_E_NETWORK);
  CHECK_IS(put(&node, node.area[0], node.area[0], 8), HCCL_E_NETWORK);
  node_free(&node);
}

static void aPeerThatDestroyedIsRemote(void)
{
  uint32_t rank = split();
  struct node node = prepared_node("destroyed", rank);
  char *there[AREAS];
  send_areas(&node);
  receive_areas(there);
  if (rank == 1) {
    node_free(&node);
    say(1);
    hear();
  } else {
    hear();
    CHECK_IS(put(&node, node.area[0], there[0], 8), 0);
    CHECK_IS(settle(&node), HCCL_E_REMOTE);
    node_free(&node);
    say(1);
    join_other();
  }
}

/* Rank 1 writes as fast as it can; rank 0 destroys, and from then on its memory must stand still. */
static void noByteLandsAfterDestroy(void)
{
  uint32_t rank = split();
  for (int round = 0; round < 12; round++) {
    int area = round % AREAS;
    hccl_sim_delay("copy", 0);
    struct node node = prepared_node("fence", rank);
    char *there[AREAS];
    send_areas(&node);
    receive_areas(there);
    if (rank == 1) {
      say(1);
      int32_t result = 0;
      for (int value = 1; result == 0; value = value % 100 + 1) {
        memset(node.area[PINNED_AREA], value, BUFFER);
        result = put(&node, node.area[PINNED_AREA], there[area], BUFFER);
        result = result == 0 ? settle(&node) : result;
      }
      CHECK_IS(result, HCCL_E_REMOTE);
      say(2);
      node_free(&node);
    } else {
      char *before = malloc(BUFFER);
      char *after = malloc(BUFFER);
      CHECK_IS(hear(), 1);
      usleep(3000 + 700 * (useconds_t)round);
      node_leave_comm(&node);
      bool device = area == DEVICE_AREA;
      CHECK_IS(aclrtMemcpy(before, BUFFER, node.area[area], BUFFER, device ? ACL_D2H : ACL_H2H), 0);
      CHECK_IS(hear(), 2);
      CHECK_IS(aclrtMemcpy(after, BUFFER, node.area[area], BUFFER, device ? ACL_D2H : ACL_H2H), 0);
      CHECK(memcmp(before, after, BUFFER) == 0);
      free(before);
      free(after);
      node_free(&node);
    }
  }
  if (rank == 0) {
    join_other();
    CHECK_IS(hccl_sim_counter("fence_timeouts"), 0);
  }
}

static void aStoppedPeerDoesNotHoldUpDestroy(void)
{
  uint32_t rank = split();
  struct node node = prepared_node("stopped", rank);
  if (rank == 1) {
    raise(SIGSTOP);
    pause();
  }
  CHECK_IS(waitpid(other, NULL, WUNTRACED), other);
  node_free(&node);
  CHECK_IS(kill(other, SIGKILL), 0);
}

/* It leaves its socket and lock files behind; its successor must be found all the same. */
static void aSuccessorOfADeadRank0IsFound(void)
{
  pid_t first = fork();
  if (first == 0) {
    struct node node = node_new("successor", 0, 0);
    node_prepare(&node, 30);
    exit(1);
  }
  await_listener();
  CHECK_IS(kill(first, SIGKILL), 0);
  CHECK_IS(waitpid(first, NULL, 0), first);
  uint32_t rank = split();
  struct node node = prepared_node("successor", rank);
  node_free(&node);
  if (rank == 0) {
    join_other();
  }
}

static void anotherRank0OfThatNameIsRefused(void)
{
  uint32_t rank = split();
  struct node node = node_new("twice", 0, 0);
  if (rank == 1) {
    CHECK_IS(node_prepare(&node, 2), HCCL_E_TIMEOUT);
  } else {
    await_listener();
    CHECK_IS(node_prepare(&node, 1), HCCL_E_PARA);
    CHECK_IS(hccl_sim_misuse("name_exists"), 1);
    join_other();
  }
}

static void aPeerThatDiesInPrepareIsATimeout(void)
{
  uint32_t rank = split();
  struct node node = node_new("dies", 1 - rank, (int32_t)(1 - rank));
  if (rank == 1) {
    node_prepare(&node, 30);
    exit(1);
  }
  await_listener();
  CHECK_IS(kill(other, SIGKILL), 0);
  CHECK_IS(node_prepare(&node, 1), HCCL_E_TIMEOUT);
}

const struct test process_tests[] = {
    TEST(bytesCrossProcesses),
    TEST(aDeadPeerIsNoticed),
    TEST(anIdleDeadPeerShowsAsAsyncError),
    TEST(aPeerThatDestroyedIsRemote),
    TEST(noByteLandsAfterDestroy),
    TEST(aStoppedPeerDoesNotHoldUpDestroy),
    TEST(aSuccessorOfADeadRank0IsFound),
    TEST(anotherRank0OfThatNameIsRefused),
    TEST(aPeerThatDiesInPrepareIsATimeout),
    END_OF_TESTS,
};
