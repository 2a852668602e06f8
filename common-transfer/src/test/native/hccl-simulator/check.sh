#!/bin/sh
# Builds the simulator and its tests into a temporary folder and runs them.
#   check.sh [part of a test's name]      with CC and CFLAGS of your choice, for instance
#   CFLAGS='-fsanitize=address,undefined' check.sh
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
flags="-std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -pthread -Iinclude -Iacl ${CFLAGS:-}"

# shellcheck disable=SC2086
build_hccl() { # file, further flags
  $cc $flags ${2:-} -shared -Wl,-soname,"$(basename "$1")" -o "$1" hccl/*.c -L"$work" -lascendcl -Wl,-rpath,'$ORIGIN'
}

exports() { nm -D --defined-only "$1" | cut -d' ' -f3 | grep -E '^(acl|Hccl)' | LC_ALL=C sort | tr '\n' ' '; }

expect() { # what, actual, expected
  [ "$2" = "$3" ] || { echo "$1: $2 instead of $3" >&2; exit 1; }
}

# shellcheck disable=SC2086
$cc $flags -shared -Wl,-soname,libascendcl.so -o "$work/libascendcl.so" acl/*.c
build_hccl "$work/libhcomm.so"
build_hccl "$work/libhccl.so"
mkdir "$work/old"
build_hccl "$work/old/libhcomm.so" -DHcclCommPrepare=left_out

acl='aclFinalize aclGetRecentErrMsg aclInit aclrtCreateStream aclrtDestroyStream aclrtFree aclrtFreeHost aclrtGetPhyDevIdByLogicDevId aclrtGetSocName aclrtMalloc aclrtMallocHost aclrtMemcpy aclrtSetDevice aclrtSynchronizeStreamWithTimeout '
hccl='HcclBatchGet HcclBatchPut HcclCommBindMem HcclCommDestroy HcclCommInitClusterInfoMemConfig HcclCommPrepare HcclCommUnbindMem HcclDeregisterGlobalMem HcclGetCommAsyncError HcclGetErrorString HcclRegisterGlobalMem '
expect 'libascendcl.so exports' "$(exports "$work/libascendcl.so")" "$acl"
expect 'libhcomm.so exports' "$(exports "$work/libhcomm.so")" "$hccl"
expect 'libhccl.so exports' "$(exports "$work/libhccl.so")" "$hccl"
expect 'libhcomm.so without a symbol exports' "$(exports "$work/old/libhcomm.so")" \
  "$(echo "$hccl" | sed 's/HcclCommPrepare //')"

# shellcheck disable=SC2086
$cc $flags -Itest -o "$work/check" test/*.c -L"$work" -lhcomm -lascendcl -Wl,-rpath,"$work"
mkdir "$work/meet"
HCCL_SIM_DIR="$work/meet" "$work/check" "$@"
