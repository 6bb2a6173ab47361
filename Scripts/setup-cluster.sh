#!/bin/sh
# Installs the dependencies of the log in PostgreSQL from Debian or Ubuntu: the client library to
# build it, the server to test it. Without them the log is not built, with a message. Starts no
# server: the tests start separate ones.
set -eu

missing=""
pkg-config --exists libpq 2>/dev/null || missing="$missing libpq-dev pkg-config"
. "$(dirname "$0")/postgres-programs.sh"
[ -n "$programs" ] && command -v psql >/dev/null 2>&1 || missing="$missing postgresql"
[ -n "$missing" ] || exit 0

# Prevents the package from creating and starting a cluster.
if [ "$(id -u)" -eq 0 ] && [ ! -e /etc/postgresql-common ]; then
  mkdir -p /etc/postgresql-common
  printf 'create_main_cluster = false\nstart_conf = manual\n' >/etc/postgresql-common/createcluster.conf
fi
. "$(dirname "$0")/packages.sh"
install_packages "$missing" --no-install-recommends -o Dpkg::Options::=--force-confold
