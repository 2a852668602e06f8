#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "hccl.h"
#include "json.h"

enum { RANKS = 2 };

struct seat {
  const char *server;
  const char *ip;
  long device;
};

struct table {
  bool super_pods; /* layout 1.2, which A3 needs */
  int servers;
  int devices;
  struct seat seats[RANKS];
};

/* The table writes numbers as strings. */
static long number(const struct json *object, const char *key)
{
  const char *text = json_string(object, key);
  if (text == NULL || *text < '0' || *text > '9') {
    return -1;
  }
  char *end;
  long value = strtol(text, &end, 10);
  return *end == '\0' ? value : -1;
}

static bool has_text(const struct json *object, const char *key)
{
  const char *text = json_string(object, key);
  return text != NULL && *text != '\0';
}

static bool has_address(const struct json *device)
{
  const char *ip = json_string(device, "device_ip");
  unsigned char bytes[sizeof(struct in6_addr)];
  return ip != NULL && (inet_pton(AF_INET, ip, bytes) == 1 || inet_pton(AF_INET6, ip, bytes) == 1);
}

static int32_t read_device(struct table *table, const char *server, const struct json *device)
{
  long rank = number(device, "rank_id");
  long id = number(device, "device_id");
  if (rank < 0 || id < 0 || !has_address(device)) {
    return sim_reject(HCCL_E_PARA, "rank table: a device needs device_id, rank_id and device_ip, all strings");
  }
  if (table->super_pods && !has_text(device, "super_device_id")) {
    return sim_reject(HCCL_E_PARA, "rank table 1.2: device %ld has no super_device_id", id);
  }
  table->devices++;
  if (rank >= RANKS) {
    return sim_reject(HCCL_E_NOT_SUPPORT, "rank table: rank %ld; the simulator knows pairs only", rank);
  }
  if (table->seats[rank].server != NULL) {
    return sim_reject(HCCL_E_PARA, "rank table: rank %ld occurs twice", rank);
  }
  table->seats[rank] = (struct seat){server, json_string(device, "device_ip"), id};
  return 0;
}

static bool named_before(const struct json *servers, const struct json *server)
{
  for (const struct json *s = servers->child; s != server; s = s->next) {
    if (strcmp(json_string(s, "server_id"), json_string(server, "server_id")) == 0) {
      return true;
    }
  }
  return false;
}

static int32_t read_server(struct table *table, const struct json *servers, const struct json *server)
{
  const struct json *devices = json_array(server, "device");
  if (!has_text(server, "server_id") || devices == NULL) {
    return sim_reject(HCCL_E_PARA, "rank table: a server needs server_id and device");
  }
  const char *id = json_string(server, "server_id");
  if (named_before(servers, server)) {
    return sim_reject(HCCL_E_PARA, "rank table: server %s occurs twice; its devices belong into one entry", id);
  }
  table->servers++;
  int32_t result = 0;
  for (const struct json *d = devices->child; d != NULL && result == 0; d = d->next) {
    result = read_device(table, id, d);
  }
  return result;
}

static int32_t check_seats(const struct table *table)
{
  const struct seat *one = &table->seats[0];
  const struct seat *other = &table->seats[1];
  if (table->devices != RANKS) {
    return sim_reject(HCCL_E_NOT_SUPPORT, "rank table: %d devices; the simulator knows pairs only", table->devices);
  }
  if (strcmp(one->server, other->server) == 0 && one->device == other->device) {
    return sim_reject(HCCL_E_PARA, "rank table: both ranks are device %ld of %s", one->device, one->server);
  }
  if (strcmp(one->ip, other->ip) == 0) {
    return sim_reject(HCCL_E_PARA, "rank table: both devices have the address %s", one->ip);
  }
  return 0;
}

static bool in_some_pod(const struct json *pods, const char *server)
{
  for (const struct json *pod = pods->child; pod != NULL; pod = pod->next) {
    const struct json *members = json_array(pod, "server_list");
    for (const struct json *m = members ? members->child : NULL; m != NULL; m = m->next) {
      if (has_text(m, "server_id") && strcmp(json_string(m, "server_id"), server) == 0) {
        return has_text(pod, "super_pod_id");
      }
    }
  }
  return false;
}

static int32_t check_pods(const struct table *table, const struct json *root)
{
  const struct json *pods = json_array(root, "super_pod_list");
  for (int rank = 0; rank < RANKS && table->super_pods; rank++) {
    if (pods == NULL || !in_some_pod(pods, table->seats[rank].server)) {
      return sim_reject(HCCL_E_PARA, "rank table 1.2: server %s is in no super pod", table->seats[rank].server);
    }
  }
  return 0;
}

static int32_t read_table(struct table *table, const struct json *root)
{
  const char *version = json_string(root, "version");
  const char *status = json_string(root, "status");
  const char *soc = aclrtGetSocName();
  table->super_pods = strncmp(soc, "Ascend910_93", strlen("Ascend910_93")) == 0;
  const char *needed = table->super_pods ? "1.2" : "1.0";
  if (version == NULL || strcmp(version, needed) != 0) {
    return sim_reject(HCCL_E_PARA, "rank table: version %s; %s needs %s", version ? version : "missing", soc, needed);
  }
  if (status == NULL || strcmp(status, "completed") != 0) {
    return sim_reject(HCCL_E_PARA, "rank table: status %s is not completed", status ? status : "missing");
  }
  const struct json *servers = json_array(root, "server_list");
  int32_t result = servers == NULL ? sim_reject(HCCL_E_PARA, "rank table: no server_list") : 0;
  for (const struct json *s = servers ? servers->child : NULL; s != NULL && result == 0; s = s->next) {
    result = read_server(table, servers, s);
  }
  if (result == 0 && number(root, "server_count") != table->servers) {
    result = sim_reject(HCCL_E_PARA, "rank table: server_count does not say %d", table->servers);
  }
  if (result == 0) {
    result = check_seats(table);
  }
  return result == 0 ? check_pods(table, root) : result;
}

static int32_t check_own_seat(const struct table *table, uint32_t rank, int32_t physical_device)
{
  if (rank >= RANKS) {
    return sim_reject(HCCL_E_PARA, "rank %u is not in the rank table", rank);
  }
  if (table->seats[rank].device != physical_device) {
    return sim_reject(HCCL_E_PARA, "rank table: rank %u is device %ld, but this thread has physical device %d", rank,
                      table->seats[rank].device, physical_device);
  }
  return 0;
}

int32_t check_rank_table(const char *text, uint32_t rank, int32_t physical_device)
{
  struct json *root = json_parse(text);
  if (root == NULL) {
    return sim_reject(HCCL_E_PARA, "the rank table is not JSON");
  }
  struct table table = {0};
  int32_t result = read_table(&table, root);
  if (result == 0) {
    result = check_own_seat(&table, rank, physical_device);
  }
  json_free(root);
  return result;
}
