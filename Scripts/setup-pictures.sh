#!/bin/sh
# Installs rsvg-convert, which draws pictures as PNG, or prints the package's name if this user
# lacks the permission.
set -eu

command -v rsvg-convert >/dev/null 2>&1 && exit 0
[ "$(uname -s)" = Linux ] || exit 0

. "$(dirname "$0")/packages.sh"
install_packages " librsvg2-bin" --no-install-recommends
