#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "exchange.h"
#include "message.h"

/* Rank 0 listens on a socket that is named by the communicator; rank 1 knocks until it opens. */
enum { KNOCK_US = 1000 };

static bool may_heal(int32_t result)
{
  return result == HCCL_E_TCP_TRANSFER || result == STRANGER;
}

/* Socket paths are short by law; through the directory's descriptor any depth will do. */
struct spot {
  int directory;
  int lock;
  char lock_name[32];
  char socket_name[32];
  struct sockaddr_un address;
};

static int open_directory(void)
{
  char path[4096];
  const char *configured = sim_setting("HCCL_SIM_DIR", NULL);
  if (configured != NULL) {
    snprintf(path, sizeof path, "%s", configured);
  } else {
    snprintf(path, sizeof path, "%s/hccl-sim-%u", sim_setting("TMPDIR", "/tmp"), (unsigned)getuid());
  }
  mkdir(path, 0700);
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int32_t find_spot(struct spot *spot, const char *comm_name)
{
  spot->lock = -1;
  spot->directory = open_directory();
  if (spot->directory < 0) {
    return sim_fail(HCCL_E_SYSCALL, "cannot use the rendezvous directory: %s", strerror(errno));
  }
  unsigned long long key = hash_text(comm_name);
  snprintf(spot->lock_name, sizeof spot->lock_name, "%016llx.lock", key);
  snprintf(spot->socket_name, sizeof spot->socket_name, "%016llx.sock", key);
  spot->address.sun_family = AF_UNIX;
  snprintf(spot->address.sun_path, sizeof spot->address.sun_path, "/proc/self/fd/%d/%s", spot->directory,
           spot->socket_name);
  return 0;
}

static bool still_there(int fd)
{
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* The lock dies with its process, so the socket file of a dead one can be taken over. */
static int32_t claim(struct spot *spot, const char *comm_name)
{
  for (;;) {
    spot->lock = openat(spot->directory, spot->lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (spot->lock < 0) {
      return sim_fail(HCCL_E_SYSCALL, "cannot write to the rendezvous directory: %s", strerror(errno));
    }
    if (flock(spot->lock, LOCK_EX | LOCK_NB) != 0) {
      return sim_misuse(SIM_NAME_EXISTS, HCCL_E_PARA, "another rank 0 is in prepare of %s", comm_name);
    }
    if (still_there(spot->lock)) {
      unlinkat(spot->directory, spot->socket_name, 0);
      return 0;
    }
    close(spot->lock);
  }
}

static void leave_spot(struct spot *spot, bool owned)
{
  if (owned) {
    unlinkat(spot->directory, spot->socket_name, 0);
    unlinkat(spot->directory, spot->lock_name, 0);
  }
  if (spot->lock >= 0) {
    close(spot->lock);
  }
  if (spot->directory >= 0) {
    close(spot->directory);
  }
}

static int new_socket(void)
{
  return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int32_t accept_peer(struct comm *comm, int listener, int64_t deadline_us)
{
  while (await_socket(listener, POLLIN, deadline_us)) {
    int caller = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (caller < 0) {
      sim_nap_us(KNOCK_US);
      continue;
    }
    int32_t result = exchange(comm, caller, deadline_us);
    if (!may_heal(result)) {
      return result;
    }
  }
  return HCCL_E_TIMEOUT;
}

static int32_t listen_at(struct comm *comm, const struct spot *spot, int64_t deadline_us)
{
  int listener = new_socket();
  const struct sockaddr *address = (const struct sockaddr *)&spot->address;
  int32_t result;
  if (listener < 0 || bind(listener, address, sizeof spot->address) != 0 || listen(listener, 8) != 0) {
    result = sim_fail(HCCL_E_SYSCALL, "cannot listen for the peer: %s", strerror(errno));
  } else {
    result = accept_peer(comm, listener, deadline_us);
  }
  if (listener >= 0) {
    close(listener);
  }
  return result;
}

static int32_t knock_at(struct comm *comm, const struct spot *spot, int64_t deadline_us)
{
  while (sim_now_us() < deadline_us) {
    int caller = new_socket();
    if (caller < 0) {
      return sim_fail(HCCL_E_SYSCALL, "no socket: %s", strerror(errno));
    }
    if (connect(caller, (const struct sockaddr *)&spot->address, sizeof spot->address) == 0) {
      int32_t result = exchange(comm, caller, deadline_us);
      if (!may_heal(result)) {
        return result;
      }
    } else {
      close(caller);
    }
    sim_nap_us(KNOCK_US);
  }
  return HCCL_E_TIMEOUT;
}

int32_t meet_peer(struct comm *comm, int64_t deadline_us)
{
  struct spot spot = {0};
  int32_t result = find_spot(&spot, comm->name);
  bool owned = false;
  if (result == 0 && comm->rank == 0) {
    result = claim(&spot, comm->name);
    owned = result == 0;
  }
  if (result == 0) {
    result = owned ? listen_at(comm, &spot, deadline_us) : knock_at(comm, &spot, deadline_us);
  }
  leave_spot(&spot, owned);
  return result == HCCL_E_TIMEOUT ? sim_fail(result, "the peer of %s did not come in time", comm->name) : result;
}
