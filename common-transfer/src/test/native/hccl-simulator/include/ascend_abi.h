/*
 * The part of Ascend's C ABI that moves KV between two processes, as our own description of it says: prototypes and
 * layouts only, no code. Written independently of the Java binding, so that a wrong layout on either side shows.
 *
 * Every function returns a 32-bit int (0 = success) unless it says otherwise.
 */
#ifndef ASCEND_ABI_H
#define ASCEND_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t aclError;
typedef int32_t HcclResult;
typedef void *aclrtStream;
typedef void *HcclComm;

enum { ACL_H2H = 0, ACL_H2D = 1, ACL_D2H = 2, ACL_D2D = 3 };

enum { HCCL_MEM_DEVICE = 0, HCCL_MEM_HOST = 1 };

enum { HCCL_DATA_UINT8 = 7 };

enum { HCCL_TOPO_FULL_MESH = 0 };

enum {
  HCCL_SUCCESS = 0,
  HCCL_E_PARA = 1,
  HCCL_E_PTR = 2,
  HCCL_E_MEMORY = 3,
  HCCL_E_INTERNAL = 4,
  HCCL_E_NOT_SUPPORT = 5,
  HCCL_E_NOT_FOUND = 6,
  HCCL_E_UNAVAIL = 7,
  HCCL_E_SYSCALL = 8,
  HCCL_E_TIMEOUT = 9,
  HCCL_E_OPEN_FILE = 10,
  HCCL_E_TCP_CONNECT = 11,
  HCCL_E_ROCE_CONNECT = 12,
  HCCL_E_TCP_TRANSFER = 13,
  HCCL_E_ROCE_TRANSFER = 14,
  HCCL_E_RUNTIME = 15,
  HCCL_E_DRV = 16,
  HCCL_E_NETWORK = 19,
  HCCL_E_AGAIN = 20,
  HCCL_E_REMOTE = 21,
  HCCL_E_SUSPENDING = 22
};

typedef struct {
  int32_t type;
  void *addr;
  uint64_t size;
} HcclMem;

typedef struct {
  void *localAddr;
  void *remoteAddr;
  uint64_t count;
  int32_t dataType;
} HcclOneSideOpDesc;

typedef struct {
  int32_t topoType;
  uint64_t rsvd0;
  uint64_t rsvd1;
  uint64_t rsvd2;
} HcclPrepareConfig;

#define HCCL_CONFIG_MAGIC 0xF0F0F0F0u
#define HCCL_CONFIG_NOT_SET 0xFFFFFFFFu
#define HCCL_CONFIG_SHORT_VERSION 5u

/* What the first 24 bytes of HcclCommConfig hold; the struct itself declares them as chars. */
typedef struct {
  uint64_t size;
  uint32_t magic;
  uint32_t version;
  uint64_t reserved;
} HcclCommConfigHeader;

/* The short layout, which version 5 covers. */
typedef struct {
  char reserved[24];
  uint32_t bufferSizeMB;
  uint32_t deterministic;
  char commName[128];
  char udi[128];
  uint32_t opExpansionMode;
  uint32_t rdmaTrafficClass;
  uint32_t rdmaServiceLevel;
} HcclCommConfig;

static_assert(sizeof(void *) == 8, "the ABI is LP64");

static_assert(sizeof(HcclMem) == 24, "HcclMem");
static_assert(offsetof(HcclMem, type) == 0, "HcclMem.type");
static_assert(offsetof(HcclMem, addr) == 8, "HcclMem.addr");
static_assert(offsetof(HcclMem, size) == 16, "HcclMem.size");

static_assert(sizeof(HcclOneSideOpDesc) == 32, "HcclOneSideOpDesc");
static_assert(offsetof(HcclOneSideOpDesc, localAddr) == 0, "HcclOneSideOpDesc.localAddr");
static_assert(offsetof(HcclOneSideOpDesc, remoteAddr) == 8, "HcclOneSideOpDesc.remoteAddr");
static_assert(offsetof(HcclOneSideOpDesc, count) == 16, "HcclOneSideOpDesc.count");
static_assert(offsetof(HcclOneSideOpDesc, dataType) == 24, "HcclOneSideOpDesc.dataType");

static_assert(sizeof(HcclPrepareConfig) == 32, "HcclPrepareConfig");
static_assert(offsetof(HcclPrepareConfig, topoType) == 0, "HcclPrepareConfig.topoType");
static_assert(offsetof(HcclPrepareConfig, rsvd0) == 8, "HcclPrepareConfig.rsvd0");
static_assert(offsetof(HcclPrepareConfig, rsvd1) == 16, "HcclPrepareConfig.rsvd1");
static_assert(offsetof(HcclPrepareConfig, rsvd2) == 24, "HcclPrepareConfig.rsvd2");

static_assert(sizeof(HcclCommConfigHeader) == 24, "HcclCommConfigHeader");
static_assert(offsetof(HcclCommConfigHeader, size) == 0, "HcclCommConfigHeader.size");
static_assert(offsetof(HcclCommConfigHeader, magic) == 8, "HcclCommConfigHeader.magic");
static_assert(offsetof(HcclCommConfigHeader, version) == 12, "HcclCommConfigHeader.version");
static_assert(offsetof(HcclCommConfigHeader, reserved) == 16, "HcclCommConfigHeader.reserved");

static_assert(sizeof(HcclCommConfig) == 300, "HcclCommConfig");
static_assert(_Alignof(HcclCommConfig) == 4, "HcclCommConfig's alignment");
static_assert(offsetof(HcclCommConfig, bufferSizeMB) == 24, "HcclCommConfig.bufferSizeMB");
static_assert(offsetof(HcclCommConfig, deterministic) == 28, "HcclCommConfig.deterministic");
static_assert(offsetof(HcclCommConfig, commName) == 32, "HcclCommConfig.commName");
static_assert(offsetof(HcclCommConfig, udi) == 160, "HcclCommConfig.udi");
static_assert(offsetof(HcclCommConfig, opExpansionMode) == 288, "HcclCommConfig.opExpansionMode");
static_assert(offsetof(HcclCommConfig, rdmaTrafficClass) == 292, "HcclCommConfig.rdmaTrafficClass");
static_assert(offsetof(HcclCommConfig, rdmaServiceLevel) == 296, "HcclCommConfig.rdmaServiceLevel");

#pragma GCC visibility push(default)

/* libascendcl.so */
aclError aclInit(const char *configPath);
aclError aclFinalize(void);
aclError aclrtSetDevice(int32_t deviceId);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeoutMs);
aclError aclrtMalloc(void **address, size_t size, int policy);
aclError aclrtFree(void *address);
aclError aclrtMallocHost(void **address, size_t size);
aclError aclrtFreeHost(void *address);
aclError aclrtMemcpy(void *dst, size_t dstMax, const void *src, size_t count, int kind);
aclError aclrtGetPhyDevIdByLogicDevId(int32_t logicId, int32_t *physicalId);
const char *aclrtGetSocName(void);
const char *aclGetRecentErrMsg(void);

/* libhcomm.so (older ones: libhccl.so) */
HcclResult HcclCommInitClusterInfoMemConfig(const char *rankTable, uint32_t rank, HcclCommConfig *config,
                                            HcclComm *comm);
HcclResult HcclCommDestroy(HcclComm comm);
HcclResult HcclRegisterGlobalMem(const HcclMem *memory, void **handle);
HcclResult HcclDeregisterGlobalMem(void *handle);
HcclResult HcclCommBindMem(HcclComm comm, void *handle);
HcclResult HcclCommUnbindMem(HcclComm comm, void *handle);
HcclResult HcclCommPrepare(HcclComm comm, const HcclPrepareConfig *config, int timeoutSeconds);
HcclResult HcclBatchPut(HcclComm comm, uint32_t remoteRank, HcclOneSideOpDesc *descriptors, uint32_t count,
                        aclrtStream stream);
HcclResult HcclBatchGet(HcclComm comm, uint32_t remoteRank, HcclOneSideOpDesc *descriptors, uint32_t count,
                        aclrtStream stream);
const char *HcclGetErrorString(HcclResult code);
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);

#pragma GCC visibility pop

#endif
