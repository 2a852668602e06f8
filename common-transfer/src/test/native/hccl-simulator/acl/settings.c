#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl_sim.h"
#include "sim.h"

/* Never freed, since a value that was handed out must stay readable. */
struct override {
  struct override *next;
  char *name;
  char *value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct override *overrides;

static const char *overridden(const char *name)
{
  const char *value = NULL;
  pthread_mutex_lock(&lock);
  for (struct override *o = overrides; o != NULL; o = o->next) {
    if (strcmp(o->name, name) == 0) {
      value = o->value;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return value;
}

static void override(const char *name, const char *value)
{
  struct override *fresh = malloc(sizeof *fresh);
  *fresh = (struct override){.name = strdup(name), .value = value == NULL ? NULL : strdup(value)};
  pthread_mutex_lock(&lock);
  fresh->next = overrides;
  overrides = fresh;
  pthread_mutex_unlock(&lock);
}

const char *sim_setting(const char *name, const char *otherwise)
{
  const char *value = overridden(name);
  if (value == NULL) {
    value = getenv(name);
  }
  return value == NULL || *value == '\0' ? otherwise : value;
}

int64_t sim_setting_number(const char *name, int64_t otherwise)
{
  const char *text = sim_setting(name, NULL);
  if (text == NULL) {
    return otherwise;
  }
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno != 0 || *end != '\0') {
    fprintf(stderr, "hccl-simulator: %s=%s is no number; %lld is used\n", name, text, (long long)otherwise);
    return otherwise;
  }
  return number;
}

void sim_forget_settings(void)
{
  pthread_mutex_lock(&lock);
  for (struct override *o = overrides; o != NULL; o = o->next) {
    o->value = NULL; /* leaked: small, and perhaps still in a reader's hands */
  }
  pthread_mutex_unlock(&lock);
}

int32_t hccl_sim_set(const char *name, const char *value)
{
  override(name, value);
  return 0;
}
