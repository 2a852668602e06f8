/* A small frame: each test runs in a process of its own, so that it may abort, and starts with a fresh simulator. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct test {
  const char *name;
  void (*run)(void);
};

extern const struct test layout_tests[];
extern const struct test runtime_tests[];
extern const struct test memory_tests[];
extern const struct test registry_tests[];
extern const struct test comm_tests[];
extern const struct test prepare_tests[];
extern const struct test transfer_tests[];
extern const struct test stream_tests[];
extern const struct test process_tests[];
extern const struct test race_tests[];
extern const struct test fault_tests[];

#define TEST(function) {#function, function}
#define END_OF_TESTS {NULL, NULL}

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define CHECK_IS(actual, expected)                                                                        \
  do {                                                                                                    \
    long long is_ = (long long)(actual);                                                                  \
    long long should_ = (long long)(expected);                                                            \
    if (is_ != should_) {                                                                                 \
      fprintf(stderr, "%s:%d: %s is %lld instead of %lld\n", __FILE__, __LINE__, #actual, is_, should_);  \
      exit(1);                                                                                            \
    }                                                                                                     \
  } while (0)

#endif
