#include "exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"

/*
 *   1 -> 0  hello, offers      0 -> 1  hello + shared page, offers      1 -> 0  ready      0 -> 1  done
 * so that both sides return success, or neither (but for a time-out that strikes between the last two).
 */
enum { HELLO = 0x48434c31 };

struct hello {
  uint32_t magic;
  uint32_t rank;
  uint32_t offers;
  uint32_t unused;
  uint64_t table_hash;
  char name[128];
};

struct offer {
  uint64_t address;
  uint64_t size;
  uint64_t offset;
};

struct meeting {
  struct comm *comm;
  int socket;
  int64_t deadline_us;
  struct hello theirs;
  struct link link;
};

static int32_t send_all(const struct meeting *meeting, int page_fd)
{
  const struct comm *comm = meeting->comm;
  struct hello hello = {
      .magic = HELLO, .rank = comm->rank, .offers = comm->bound_count, .table_hash = comm->table_hash};
  memcpy(hello.name, comm->name, sizeof hello.name);
  int32_t result = message_send(meeting->socket, &hello, sizeof hello, page_fd, meeting->deadline_us);
  for (uint32_t i = 0; i < comm->bound_count && result == 0; i++) {
    const HcclMem *memory = &comm->bound[i]->memory;
    struct sim_memory found = sim_find_memory(memory->addr, memory->size);
    struct offer offer = {(uintptr_t)memory->addr, memory->size, found.offset};
    result = message_send(meeting->socket, &offer, sizeof offer, found.fd, meeting->deadline_us);
  }
  return result;
}

static int32_t receive_offer(struct meeting *meeting, struct region *region)
{
  struct offer offer;
  int fd;
  int32_t result = message_receive(meeting->socket, &offer, sizeof offer, &fd, meeting->deadline_us);
  if (result == 0) {
    *region = (struct region){.address = (uintptr_t)offer.address, .size = offer.size};
    if (fd >= 0 && !link_map_region(region, fd, offer.offset)) {
      result = sim_fail(HCCL_E_MEMORY, "cannot map the peer's memory: %s", strerror(errno));
    }
  }
  if (fd >= 0) {
    close(fd);
  }
  return result;
}

static int32_t receive_hello(struct meeting *meeting)
{
  struct hello *theirs = &meeting->theirs;
  int fd;
  int32_t result = message_receive(meeting->socket, theirs, sizeof *theirs, &fd, meeting->deadline_us);
  if (result == 0 && (theirs->magic != HELLO || theirs->rank != 1 - meeting->comm->rank ||
                      theirs->offers > MAX_BOUND || strncmp(theirs->name, meeting->comm->name, sizeof theirs->name))) {
    result = STRANGER;
  }
  if (result == 0 && fd >= 0 && meeting->comm->rank == 1 && !link_map_page(&meeting->link, fd)) {
    result = sim_fail(HCCL_E_MEMORY, "cannot map the link's page: %s", strerror(errno));
  }
  if (fd >= 0) {
    close(fd);
  }
  return result;
}

static int32_t receive_all(struct meeting *meeting)
{
  int32_t result = receive_hello(meeting);
  if (result != 0) {
    return result;
  }
  meeting->link.regions = calloc(meeting->theirs.offers + 1, sizeof(struct region));
  for (uint32_t i = 0; i < meeting->theirs.offers && result == 0; i++) {
    result = receive_offer(meeting, &meeting->link.regions[i]);
    meeting->link.region_count = i + 1;
  }
  return result;
}

static int32_t agree(const struct meeting *meeting)
{
  if (meeting->theirs.table_hash != meeting->comm->table_hash) {
    return sim_reject(HCCL_E_PARA, "the two sides of %s have different rank tables", meeting->comm->name);
  }
  return 0;
}

static int32_t send_word(const struct meeting *meeting, uint32_t word)
{
  return message_send(meeting->socket, &word, sizeof word, -1, meeting->deadline_us);
}

static int32_t receive_word(const struct meeting *meeting, uint32_t expected)
{
  uint32_t word;
  int fd;
  int32_t result = message_receive(meeting->socket, &word, sizeof word, &fd, meeting->deadline_us);
  return result == 0 && word != expected ? HCCL_E_TCP_TRANSFER : result;
}

enum { READY = 1, DONE = 2 };

static int32_t exchange_as_rank_0(struct meeting *meeting)
{
  int page_fd = link_new_page();
  if (page_fd < 0 || !link_map_page(&meeting->link, page_fd)) {
    return sim_fail(HCCL_E_MEMORY, "no page for the link: %s", strerror(errno));
  }
  int32_t result = receive_all(meeting);
  if (result == 0) {
    result = send_all(meeting, page_fd);
  }
  close(page_fd);
  if (result == 0) {
    result = agree(meeting);
  }
  if (result == 0) {
    result = receive_word(meeting, READY);
  }
  return result == 0 ? send_word(meeting, DONE) : result;
}

static int32_t exchange_as_rank_1(struct meeting *meeting)
{
  int32_t result = send_all(meeting, -1);
  if (result == 0) {
    result = receive_all(meeting);
  }
  if (result == 0) {
    result = agree(meeting);
  }
  if (result == 0 && meeting->link.page == NULL) {
    result = HCCL_E_TCP_TRANSFER;
  }
  if (result == 0) {
    result = send_word(meeting, READY);
  }
  return result == 0 ? receive_word(meeting, DONE) : result;
}

int32_t exchange(struct comm *comm, int socket, int64_t deadline_us)
{
  struct meeting meeting = {.comm = comm, .socket = socket, .deadline_us = deadline_us};
  meeting.link = (struct link){.socket = socket, .rank = comm->rank};
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  meeting.link.pid = peer.pid;
  int32_t result = comm->rank == 0 ? exchange_as_rank_0(&meeting) : exchange_as_rank_1(&meeting);
  if (result == 0) {
    comm->link = meeting.link;
  } else {
    link_close(&meeting.link);
  }
  return result;
}
