#!/bin/sh
# Installs what the log in PostgreSQL needs from Debian or Ubuntu: the client library to build
# it, the server to test it. Without them it is left out, and says so. No server is started: the
# tests start their own.
set -eu

missing=""
pkg-config --exists libpq 2>/dev/null || missing="$missing libpq-dev pkg-config"
. "$(dirname "$0")/postgres-programs.sh"
[ -n "$programs" ] && command -v psql >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0

# The package would make a cluster of its own and start it.
if [ "$(id -u)" -eq 0 ] && [ ! -e /etc/postgresql-common ]; then
  mkdir -p /etc/postgresql-common
  printf 'create_main_cluster = false\nstart_conf = manual\n' >/etc/postgresql-common/createcluster.conf
fi
. "$(dirname "$0")/packages.sh"
install_packages "$missing" --no-install-recommends -o Dpkg::Options::=--force-confold
