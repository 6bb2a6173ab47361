#!/bin/sh
# Prints the flags with which `swift build` links the command into one file that needs no
# libraries, because loading them takes most of the time of a short process. Prints fewer flags, or
# none, if the toolchain or the system lacks the static libraries. With CLUSTER set the system's
# libraries remain shared, as libpq and its dependencies are.
set -eu

[ "$(uname -s)" = Linux ] || exit 0

resources=$("${SWIFT:-swift}" -print-target-info |
  sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -e "${resources}_static/linux/libFoundationEssentials.a" ] || exit 0

clang=$(dirname "$resources")/../bin/clang
[ -x "$clang" ] || clang=clang
# lld does not warn about functions that look up users, which the command never calls.
linker=$(dirname "$clang")/ld.lld
[ -x "$linker" ] && lld="-Xswiftc -use-ld=lld" || lld=
if [ -n "${CLUSTER:-}" ]; then
  # The static parts of FoundationEssentials are not linked automatically if other libraries are
  # shared.
  echo "--static-swift-stdlib -Xlinker -l_FoundationCollections -Xlinker -l_FoundationCShims $lld"
  exit 0
fi
for library in libc.a libm.a libstdc++.a libsqlite3.a; do
  # For a missing file clang prints only the name.
  if [ ! -e "$("$clang" -print-file-name="$library")" ]; then
    echo "--static-swift-stdlib"
    exit 0
  fi
done
echo "--static-swift-stdlib -Xswiftc -static-executable $lld"
