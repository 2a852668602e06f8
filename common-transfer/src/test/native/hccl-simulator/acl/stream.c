#include <stdlib.h>

#include "stream.h"

/* How long a wait "for ever" really lasts. */
enum { ENDLESS_MS = 60000 };

pthread_mutex_t stream_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;

static struct stream *find(aclrtStream handle)
{
  for (struct stream *s = streams; s != NULL; s = s->next) {
    if (s == handle) {
      return s->alive ? s : NULL;
    }
  }
  return NULL;
}

static int32_t check(const struct stream *stream, aclrtStream handle)
{
  if (stream == NULL) {
    return sim_misuse(SIM_STALE_HANDLE, ACL_ERROR_RT_PARAM_INVALID, "%p is no stream, or was destroyed", handle);
  }
  if (stream->device != sim_thread_device()) {
    return sim_misuse(SIM_WRONG_DEVICE, ACL_ERROR_RT_STREAM_CONTEXT,
                      "the stream is of device %d, the thread of device %d", stream->device, sim_thread_device());
  }
  return 0;
}

static bool idle(const struct stream *stream)
{
  return stream->first == NULL && stream->running == NULL;
}

static int32_t create(aclrtStream *handle, int32_t device)
{
  if (handle == NULL) {
    return sim_reject(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: no place for the stream");
  }
  struct stream *stream = calloc(1, sizeof *stream);
  stream->device = device;
  stream->alive = true;
  if (!start_worker(stream)) {
    free(stream);
    return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no thread for a stream");
  }
  pthread_mutex_lock(&stream_lock);
  stream->next = streams;
  streams = stream;
  pthread_mutex_unlock(&stream_lock);
  sim_count(SIM_STREAMS_ALIVE, 1);
  *handle = stream;
  return 0;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtCreateStream", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "-");
  }
  int32_t result = create(stream, call.device);
  return sim_leave(&call, result, "stream=%p", result == 0 ? *stream : NULL);
}

static void end(struct stream *stream)
{
  stream->alive = false;
  stream->closing = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream_lock);
  pthread_join(stream->worker, NULL);
  pthread_mutex_lock(&stream_lock);
  while (stream->first != NULL) {
    struct sim_task *task = stream->first;
    stream->first = task->next;
    task->release(task);
  }
  sim_count(SIM_STREAMS_ALIVE, -1);
}

static int32_t destroy(aclrtStream handle)
{
  pthread_mutex_lock(&stream_lock);
  struct stream *stream = find(handle);
  int32_t result = check(stream, handle);
  if (result == 0 && stream->waiting_threads > 0) {
    result = sim_misuse(SIM_STILL_IN_USE, ACL_ERROR_RT_PARAM_INVALID, "a thread still synchronises this stream");
  }
  if (result == 0) {
    int batches = settle(stream);
    if (batches > 0) {
      sim_misuse(SIM_UNSYNCHRONISED, 0, "a stream was destroyed with %d batches that no synchronise followed",
                 batches);
    }
    end(stream);
  }
  pthread_mutex_unlock(&stream_lock);
  return result;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtDestroyStream", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "stream=%p", stream);
  }
  return sim_leave(&call, destroy(stream), "stream=%p", stream);
}

static int32_t await_idle(struct stream *stream, int32_t timeout_ms)
{
  struct timespec until = sim_instant(sim_now_us() + (int64_t)timeout_ms * 1000);
  int timed_out = 0;
  stream->waiting_threads++;
  while (!idle(stream) && timed_out == 0) {
    timed_out = pthread_cond_timedwait(&stream->changed, &stream_lock, &until);
  }
  stream->waiting_threads--;
  settle(stream);
  if (!idle(stream)) {
    sim_count(SIM_SYNCHRONISE_TIMEOUTS, 1);
    return sim_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream had work left after %d ms", timeout_ms);
  }
  return stream->error == 0 ? 0 : sim_fail(stream->error, "%s", stream->why);
}

static int32_t synchronise(aclrtStream handle, int32_t timeout_ms)
{
  if (timeout_ms < -1) {
    return sim_reject(ACL_ERROR_RT_PARAM_INVALID, "a time-out of %d ms", timeout_ms);
  }
  if (timeout_ms == -1) {
    sim_misuse(SIM_ENDLESS_WAIT, 0, "aclrtSynchronizeStreamWithTimeout without a time-out");
    timeout_ms = ENDLESS_MS;
  }
  sim_count(SIM_SYNCHRONISES, 1);
  pthread_mutex_lock(&stream_lock);
  struct stream *stream = find(handle);
  int32_t result = check(stream, handle);
  if (result == 0) {
    result = await_idle(stream, timeout_ms);
  }
  pthread_mutex_unlock(&stream_lock);
  return result;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeoutMs)
{
  struct sim_call call;
  if (!sim_enter(&call, "aclrtSynchronizeStreamWithTimeout", SIM_ACL, SIM_NEEDS_DEVICE)) {
    return sim_leave(&call, call.result, "stream=%p ms=%d", stream, timeoutMs);
  }
  return sim_leave(&call, synchronise(stream, timeoutMs), "stream=%p ms=%d", stream, timeoutMs);
}

int32_t sim_submit(aclrtStream handle, struct sim_task *task)
{
  pthread_mutex_lock(&stream_lock);
  struct stream *stream = find(handle);
  int32_t result = check(stream, handle);
  if (result == 0 && stream->error != 0) {
    result = sim_fail(stream->error, "the stream is dead: %s", stream->why);
  }
  if (result == 0) {
    task->next = NULL;
    if (stream->first == NULL) {
      stream->first = task;
    } else {
      stream->last->next = task;
    }
    stream->last = task;
    owe(stream, task->owed);
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream_lock);
  return result;
}

static void drop_waiting(struct stream *stream, const void *owner)
{
  struct sim_task **link = &stream->first;
  stream->last = NULL;
  while (*link != NULL) {
    struct sim_task *task = *link;
    if (task->owner == owner) {
      *link = task->next;
      task->release(task);
    } else {
      stream->last = task;
      link = &task->next;
    }
  }
}

void sim_withdraw(const void *owner)
{
  pthread_mutex_lock(&stream_lock);
  for (struct stream *s = streams; s != NULL; s = s->next) {
    drop_waiting(s, owner);
    while (s->running != NULL && s->running->owner == owner) {
      s->withdrawn = true;
      pthread_cond_broadcast(&s->changed);
      pthread_cond_wait(&s->changed, &stream_lock);
    }
  }
  pthread_mutex_unlock(&stream_lock);
}

int sim_owed(const int *owed)
{
  pthread_mutex_lock(&stream_lock);
  int batches = *owed;
  pthread_mutex_unlock(&stream_lock);
  return batches;
}

void sim_wake_streams(void)
{
  pthread_mutex_lock(&stream_lock);
  for (struct stream *s = streams; s != NULL; s = s->next) {
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&stream_lock);
}
