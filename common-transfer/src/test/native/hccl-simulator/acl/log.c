#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char open_path[4096];
static int log_fd = -1;

static int descriptor(const char *path)
{
  if (log_fd < 0 || strcmp(path, open_path) != 0) {
    if (log_fd >= 0) {
      close(log_fd);
    }
    snprintf(open_path, sizeof open_path, "%s", path);
    log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  return log_fd;
}

static void append(const char *path, const char *line, size_t length)
{
  pthread_mutex_lock(&lock);
  int fd = descriptor(path);
  /* One write per line: with O_APPEND, lines of several processes do not mix. A log that fails fails no call. */
  if (fd >= 0 && write(fd, line, length) < 0) {
    close(fd);
    log_fd = -1;
  }
  pthread_mutex_unlock(&lock);
}

void sim_log(const char *format, ...)
{
  const char *path = sim_setting("HCCL_SIM_LOG", NULL);
  if (path == NULL) {
    return;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char line[1200];
  int length = snprintf(line, sizeof line, "%lld.%06ld pid=%d tid=%d ", (long long)now.tv_sec, now.tv_nsec / 1000,
                        (int)getpid(), (int)gettid());
  va_list arguments;
  va_start(arguments, format);
  length += vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof line - 2) {
    length = (int)sizeof line - 2;
  }
  line[length] = '\n';
  append(path, line, (size_t)length + 1);
}

const char *sim_word(const char *text, char *buffer, size_t size)
{
  size_t n = 0;
  for (; text[n] != '\0' && n + 1 < size; n++) {
    buffer[n] = text[n] > ' ' && text[n] < 0x7f && text[n] != '"' ? text[n] : '_';
  }
  buffer[n] = '\0';
  return n == 0 ? "-" : buffer;
}
