#!/bin/sh
# Installs what a fresh Debian or Ubuntu lacks to build LayoutCache, or says what
# to install where this user may not.
set -eu

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: no Swift toolchain found; install Swift 6.2 or newer from https://www.swift.org/install" >&2
  exit 1
fi

# macOS brings SQLite with its SDK.
[ "$(uname -s)" = Linux ] || exit 0

missing=""
[ -e /usr/include/sqlite3.h ] || missing="$missing libsqlite3-dev"
command -v python3 >/dev/null 2>&1 || missing="$missing python3"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: install the packages that your system calls$missing, then try again" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
else
  echo "setup: run 'sudo apt-get install$missing', then try again" >&2
  exit 1
fi
echo "setup: installing$missing" >&2
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $missing >/dev/null
