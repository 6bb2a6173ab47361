#!/bin/sh
# Installs the packages of Debian or Ubuntu that are needed to build LayoutCache, or prints the
# missing ones if this user lacks the permission.
set -eu

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: no Swift toolchain found; install Swift 6.2.3 or newer from https://www.swift.org/install" >&2
  exit 1
fi

# The SDK of macOS includes SQLite.
[ "$(uname -s)" = Linux ] || exit 0

missing=""
# The service compresses its answers.
[ -e /usr/include/zlib.h ] || missing="$missing zlib1g-dev"
[ -e /usr/include/sqlite3.h ] || missing="$missing libsqlite3-dev"
command -v python3 >/dev/null 2>&1 || missing="$missing python3"
[ -n "$missing" ] || exit 0

. "$(dirname "$0")/packages.sh"
install_packages "$missing"
