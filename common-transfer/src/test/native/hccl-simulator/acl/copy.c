#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sim.h"

struct sim_place sim_place_of(const void *address, size_t count)
{
  struct sim_memory memory = sim_find_memory(address, count);
  if (memory.kind == SIM_DEVICE_MEMORY || memory.kind == SIM_PINNED_MEMORY) {
    return (struct sim_place){.address = memory.bytes};
  }
  return (struct sim_place){.pid = getpid(), .address = (char *)(uintptr_t)address};
}

/*
 * Memory that the simulator did not map goes through the kernel, even if it is our own: the owner may have unmapped
 * it, and that must end as an error of the stream, not of the process.
 */
static ssize_t move_some(struct sim_place to, struct sim_place from, size_t count)
{
  struct iovec target = {.iov_base = to.address, .iov_len = count};
  struct iovec source = {.iov_base = from.address, .iov_len = count};
  if (from.pid != 0 && (to.pid == 0 || to.pid == getpid())) {
    return process_vm_readv(from.pid, &target, 1, &source, 1, 0);
  }
  return process_vm_writev(to.pid, &source, 1, &target, 1, 0);
}

int sim_copy(struct sim_place to, struct sim_place from, size_t count)
{
  if (to.pid == 0 && from.pid == 0) {
    memcpy(to.address, from.address, count);
    return 0;
  }
  while (count > 0) {
    ssize_t moved = move_some(to, from, count);
    if (moved <= 0) {
      return moved == 0 ? EFAULT : errno;
    }
    to.address += moved;
    from.address += moved;
    count -= (size_t)moved;
  }
  return 0;
}
