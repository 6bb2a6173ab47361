#!/bin/sh
# Installs what draws pictures as PNG, or says what to install where this user may not.
set -eu

command -v rsvg-convert >/dev/null 2>&1 && exit 0
[ "$(uname -s)" = Linux ] || exit 0

. "$(dirname "$0")/packages.sh"
install_packages " librsvg2-bin" --no-install-recommends
