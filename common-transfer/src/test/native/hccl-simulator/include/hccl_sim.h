/*
 * Control of the simulator, exported by libascendcl.so beside the ABI. Nothing of this exists in the real libraries.
 * All functions may be called from any thread, at any time; none blocks. They act on the calling process alone: the
 * peer process has settings, rules and counters of its own.
 */
#ifndef HCCL_SIM_H
#define HCCL_SIM_H

#include <stdint.h>

#pragma GCC visibility push(default)

/*
 * Forgets rules, delays, overridden settings, lost devices, counters and misuse, reads the environment again, and lets
 * hanging batches go on. Live objects stay. Returns how many communicators, streams and registrations are alive, so
 * that a test can start with "nothing leaked so far".
 */
int32_t hccl_sim_reset(void);

/* Overrides an environment variable of the README's table by name; a NULL value ends the override. Returns 0. */
int32_t hccl_sim_set(const char *name, const char *value);

/*
 * Makes the nth next call (1 = the very next) of an ABI function return `code` without doing anything; nth -1: every
 * call from now on; nth 0: withdraws the rule. `what` is a function's name, or "copy": the nth next batch of put or
 * get is accepted, and then fails on its stream, so that synchronise reports `code`. One rule per name. Returns 0, or
 * -1 for an unknown name or a code of 0.
 */
int32_t hccl_sim_fail(const char *what, int32_t nth, int32_t code);

/*
 * Delays by so many microseconds: an ABI function (at its entry), "copy" (each batch of put or get waits that long on
 * its stream before the first byte moves) or "gate" (how long calls that must be serialised stay inside, so that two
 * of them meet). 0 = no delay. Returns 0, or -1 for an unknown name or a negative time.
 */
int32_t hccl_sim_delay(const char *what, int32_t micros);

/* The nth next batch (1 = the next, -1 = each, 0 = none) never completes, until its stream is destroyed. Returns 0. */
int32_t hccl_sim_hang_copy(int32_t nth);

/* Each call that needs this device (-1: any device) returns `code` until it is called with code 0. Returns 0. */
int32_t hccl_sim_lose_device(int32_t device, int32_t code);

/*
 * Cuts the links of this process's prepared communicators of that name (NULL: all), as if the cable were pulled: both
 * sides see the other one dead, and later batches fail with NETWORK. Returns how many were cut.
 */
int32_t hccl_sim_cut(const char *comm_name);

/* The value of a counter (names: see README), -1 for an unknown name. */
int64_t hccl_sim_counter(const char *name);

/* How often a kind of misuse was seen (names: see README; NULL: all kinds together), -1 for an unknown name. */
int64_t hccl_sim_misuse(const char *kind);

/* What the last misuse was, in words; "" when there was none. Valid until the calling thread asks again. */
const char *hccl_sim_last_misuse(void);

#pragma GCC visibility pop

#endif
