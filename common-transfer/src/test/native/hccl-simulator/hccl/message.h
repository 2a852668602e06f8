/* Messages on the Unix sockets of a rendezvous, each with at most one descriptor, all with a deadline. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0, HCCL_E_TIMEOUT, or HCCL_E_TCP_TRANSFER when the other side is gone or speaks otherwise. */
int32_t message_send(int socket, const void *data, size_t size, int passed_fd, int64_t deadline_us);
/* *passed_fd becomes -1 when none came. */
int32_t message_receive(int socket, void *data, size_t size, int *passed_fd, int64_t deadline_us);
bool await_socket(int socket, short events, int64_t deadline_us);

#endif
