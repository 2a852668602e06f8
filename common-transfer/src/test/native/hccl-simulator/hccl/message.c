#include "message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "sim.h"

union ancillary {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

bool await_socket(int socket, short events, int64_t deadline_us)
{
  for (;;) {
    int64_t left = deadline_us - sim_now_us();
    if (left <= 0) {
      return false;
    }
    struct pollfd poller = {.fd = socket, .events = events};
    if (poll(&poller, 1, (int)((left + 999) / 1000 > INT32_MAX ? INT32_MAX : (left + 999) / 1000)) > 0) {
      return true;
    }
  }
}

int32_t message_send(int socket, const void *data, size_t size, int passed_fd, int64_t deadline_us)
{
  struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
  union ancillary ancillary = {0};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (passed_fd >= 0) {
    message.msg_control = &ancillary;
    message.msg_controllen = sizeof ancillary;
    ancillary.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&ancillary.header), &passed_fd, sizeof(int));
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      return HCCL_E_TCP_TRANSFER;
    }
    if (!await_socket(socket, POLLOUT, deadline_us)) {
      return HCCL_E_TIMEOUT;
    }
  }
  return 0;
}

static void take_descriptor(struct msghdr *message, int *passed_fd)
{
  const struct cmsghdr *header = CMSG_FIRSTHDR(message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    memcpy(passed_fd, CMSG_DATA(header), sizeof(int));
  }
}

int32_t message_receive(int socket, void *data, size_t size, int *passed_fd, int64_t deadline_us)
{
  struct iovec part = {.iov_base = data, .iov_len = size};
  union ancillary ancillary = {0};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
  *passed_fd = -1;
  ssize_t got;
  while ((got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      return HCCL_E_TCP_TRANSFER;
    }
    if (!await_socket(socket, POLLIN, deadline_us)) {
      return HCCL_E_TIMEOUT;
    }
  }
  take_descriptor(&message, passed_fd);
  return got == (ssize_t)size ? 0 : HCCL_E_TCP_TRANSFER;
}
