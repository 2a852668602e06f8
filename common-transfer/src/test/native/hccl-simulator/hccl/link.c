#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hccl.h"

enum { FENCE_US = 2000000, PAGE = 4096 };

/* Each side writes its own fields: [rank]. */
struct link_page {
  _Atomic int32_t closed[2];
  _Atomic int32_t copying[2];
};

int link_new_page(void)
{
  int fd = memfd_create("hccl-sim-link", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, sizeof(struct link_page)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

bool link_map_page(struct link *link, int fd)
{
  void *page = mmap(NULL, sizeof(struct link_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  link->page = page == MAP_FAILED ? NULL : page;
  return link->page != NULL;
}

bool link_map_region(struct region *region, int fd, uint64_t offset)
{
  size_t before = offset % PAGE;
  region->mapping_size = before + region->size;
  void *mapping = mmap(NULL, region->mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset - before));
  if (mapping == MAP_FAILED) {
    return false;
  }
  region->mapping = mapping;
  region->bytes = (char *)mapping + before;
  return true;
}

static bool peer_closed(const struct link *link)
{
  return atomic_load(&link->page->closed[1 - link->rank]) != 0;
}

static bool socket_ended(const struct link *link)
{
  char byte;
  ssize_t got = recv(link->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

int32_t link_fault(const struct link *link)
{
  if (!peer_closed(link) && !socket_ended(link)) {
    return 0;
  }
  return peer_closed(link) ? HCCL_E_REMOTE : HCCL_E_NETWORK;
}

bool link_fenced(const struct link *link)
{
  return peer_closed(link) || atomic_load(&link->page->closed[link->rank]) != 0;
}

bool link_begin_copy(struct link *link)
{
  atomic_fetch_add(&link->page->copying[link->rank], 1);
  if (!link_fenced(link)) {
    return true;
  }
  link_end_copy(link);
  return false;
}

void link_end_copy(struct link *link)
{
  atomic_fetch_sub(&link->page->copying[link->rank], 1);
}

/* The peer looks at the flag between pieces; a dead peer copies nothing; a stopped one is given up after a while. */
void link_fence(struct link *link)
{
  atomic_store(&link->page->closed[link->rank], 1);
  int64_t deadline = sim_now_us() + FENCE_US;
  while (atomic_load(&link->page->copying[1 - link->rank]) > 0 && !socket_ended(link)) {
    if (sim_now_us() > deadline) {
      sim_count(SIM_FENCE_TIMEOUTS, 1);
      sim_log("event=fence_timeout peer=%d", (int)link->pid);
      return;
    }
    sim_nap_us(50);
  }
}

void link_cut(const struct link *link)
{
  shutdown(link->socket, SHUT_RDWR);
}

void link_close(struct link *link)
{
  if (link->page != NULL) {
    munmap(link->page, sizeof *link->page);
  }
  for (uint32_t i = 0; i < link->region_count; i++) {
    if (link->regions[i].mapping != NULL) {
      munmap(link->regions[i].mapping, link->regions[i].mapping_size);
    }
  }
  free(link->regions);
  if (link->socket >= 0) {
    close(link->socket);
  }
  *link = (struct link){.socket = -1};
}

bool link_place(const struct link *link, const void *address, uint64_t size, struct sim_place *place)
{
  uintptr_t from = (uintptr_t)address;
  for (uint32_t i = 0; i < link->region_count; i++) {
    const struct region *r = &link->regions[i];
    if (from >= r->address && size <= r->size && from - r->address <= r->size - size) {
      *place = r->bytes != NULL ? (struct sim_place){.address = r->bytes + (from - r->address)}
                                : (struct sim_place){.pid = link->pid, .address = (char *)from};
      return true;
    }
  }
  return false;
}
