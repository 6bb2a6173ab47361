#!/bin/sh
# Prints the flags with which `swift build` links the command into one file that needs no
# libraries: most of what a short process takes is loading them. Prints fewer, or none,
# where the toolchain or the system lacks the static libraries. With CLUSTER set the system's
# libraries stay shared: libpq is, and what it loads.
set -eu

[ "$(uname -s)" = Linux ] || exit 0

resources=$("${SWIFT:-swift}" -print-target-info |
  sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
[ -e "${resources}_static/linux/libFoundationEssentials.a" ] || exit 0

clang=$(dirname "$resources")/../bin/clang
[ -x "$clang" ] || clang=clang
# The toolchain's own linker does not warn of calls to look users up, which nobody makes.
linker=$(dirname "$clang")/ld.lld
[ -x "$linker" ] && lld="-Xswiftc -use-ld=lld" || lld=
if [ -n "${CLUSTER:-}" ]; then
  # What Foundation's part is made of is not looked for by itself where other libraries are shared.
  echo "--static-swift-stdlib -Xlinker -l_FoundationCollections -Xlinker -l_FoundationCShims $lld"
  exit 0
fi
for library in libc.a libm.a libstdc++.a libsqlite3.a; do
  # It prints the bare name of what it does not find.
  if [ ! -e "$("$clang" -print-file-name="$library")" ]; then
    echo "--static-swift-stdlib"
    exit 0
  fi
done
echo "--static-swift-stdlib -Xswiftc -static-executable $lld"
