#!/bin/sh
# Installs valgrind, which counts instructions for `make counts`, or says what to install where
# this user may not.
set -eu

command -v valgrind >/dev/null 2>&1 && exit 0
[ "$(uname -s)" = Linux ] || exit 0

. "$(dirname "$0")/packages.sh"
install_packages " valgrind" --no-install-recommends
