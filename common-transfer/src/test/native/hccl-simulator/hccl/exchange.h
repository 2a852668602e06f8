/* What the two sides of a communicator tell each other once they are connected. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "hccl.h"

enum { STRANGER = -1 };

/*
 * Takes the socket and fills the communicator's link. HCCL_E_TCP_TRANSFER (the caller went away) and STRANGER (it meant
 * somebody else) are failures that another knock may heal.
 */
int32_t exchange(struct comm *comm, int socket, int64_t deadline_us);

#endif
