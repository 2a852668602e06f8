#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

static _Thread_local char message[400];
static _Thread_local char taken[400];
static _Thread_local bool present;

static void remember(const char *format, va_list arguments)
{
  vsnprintf(message, sizeof message, format, arguments);
  for (char *c = message; *c; c++) {
    if (*c == '"' || *c == '\n') {
      *c = '\'';
    }
  }
  present = true;
}

int32_t sim_fail(int32_t code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  remember(format, arguments);
  va_end(arguments);
  return code;
}

int32_t sim_misuse(enum sim_misuse_kind kind, int32_t code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  remember(format, arguments);
  va_end(arguments);
  sim_count_misuse(kind, message);
  sim_log("misuse=%s msg=\"%s\"", sim_misuse_name(kind), message);
  return code;
}

const char *sim_peek_message(void)
{
  return present ? message : NULL;
}

const char *sim_take_message(void)
{
  if (!present) {
    return NULL;
  }
  memcpy(taken, message, sizeof taken);
  present = false;
  return taken;
}
