#include <string.h>

#include "hccl.h"

enum { DEFAULT_BUFFER_MB = 200 };

static bool terminated(const char text[128])
{
  return memchr(text, '\0', 128) != NULL;
}

/* A version says which fields there are, and so how long the struct at least is. */
static int32_t check_header(const HcclCommConfig *config)
{
  HcclCommConfigHeader header;
  memcpy(&header, config, sizeof header);
  if (header.magic != HCCL_CONFIG_MAGIC) {
    return sim_reject(HCCL_E_PARA, "config: magic 0x%08X instead of 0x%08X", header.magic, HCCL_CONFIG_MAGIC);
  }
  if (header.version < HCCL_CONFIG_SHORT_VERSION) {
    return sim_reject(HCCL_E_PARA, "config: version %u has no service level; 5 is the oldest known here",
                      header.version);
  }
  if (header.version == HCCL_CONFIG_SHORT_VERSION && header.size != sizeof(HcclCommConfig)) {
    return sim_reject(HCCL_E_PARA, "config: version 5 is %zu bytes long, size says %llu", sizeof(HcclCommConfig),
                      (unsigned long long)header.size);
  }
  if (header.size < sizeof(HcclCommConfig) || header.size > 4096) {
    return sim_reject(HCCL_E_PARA, "config: size %llu", (unsigned long long)header.size);
  }
  if (header.reserved != 0) {
    return sim_reject(HCCL_E_PARA, "config: the header's last 8 bytes are 0x%llX instead of 0",
                      (unsigned long long)header.reserved);
  }
  return 0;
}

static bool unset_or_at_most(uint32_t value, uint32_t most)
{
  return value == HCCL_CONFIG_NOT_SET || value <= most;
}

static int32_t check_fields(const HcclCommConfig *config)
{
  if (config->bufferSizeMB == 0) {
    return sim_reject(HCCL_E_PARA, "config: a buffer of 0 MB");
  }
  if (!unset_or_at_most(config->deterministic, 2)) {
    return sim_reject(HCCL_E_PARA, "config: deterministic %u", config->deterministic);
  }
  if (!terminated(config->commName) || config->commName[0] == '\0') {
    return sim_reject(HCCL_E_PARA, "config: the communicator's name is empty, or longer than 127 bytes");
  }
  if (!terminated(config->udi)) {
    return sim_reject(HCCL_E_PARA, "config: udi is longer than 127 bytes");
  }
  if (config->opExpansionMode > 3) {
    return sim_reject(HCCL_E_PARA, "config: operator expansion mode %u", config->opExpansionMode);
  }
  if (!unset_or_at_most(config->rdmaTrafficClass, 255) ||
      (config->rdmaTrafficClass != HCCL_CONFIG_NOT_SET && config->rdmaTrafficClass % 4 != 0)) {
    return sim_reject(HCCL_E_PARA, "config: RDMA traffic class %u is not a multiple of 4 up to 252",
                      config->rdmaTrafficClass);
  }
  if (!unset_or_at_most(config->rdmaServiceLevel, 7)) {
    return sim_reject(HCCL_E_PARA, "config: RDMA service level %u is over 7", config->rdmaServiceLevel);
  }
  return 0;
}

int32_t read_config(const HcclCommConfig *config, struct comm_settings *settings)
{
  int32_t result = check_header(config);
  if (result == 0) {
    result = check_fields(config);
  }
  if (result == 0) {
    strcpy(settings->name, config->commName);
    int64_t megabytes = config->bufferSizeMB == HCCL_CONFIG_NOT_SET ? DEFAULT_BUFFER_MB : config->bufferSizeMB;
    settings->buffer_bytes = megabytes << 20;
  }
  return result;
}
