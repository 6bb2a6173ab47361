#!/bin/sh
# Installs valgrind, which counts instructions for `make counts`, or prints the package's name if
# this user lacks the permission.
set -eu

command -v valgrind >/dev/null 2>&1 && exit 0
[ "$(uname -s)" = Linux ] || exit 0

. "$(dirname "$0")/packages.sh"
install_packages " valgrind" --no-install-recommends
