#!/bin/sh
# Installs what `make cluster-test` needs from Debian or Ubuntu: PostgreSQL with Patroni, etcd,
# nginx, a C compiler, and tools for network namespaces. None of the distribution's own services is started:
# the test starts its own.
set -eu
cd "$(dirname "$0")/.."
sh Scripts/setup-cluster.sh
missing=""
need() { # PROGRAM PACKAGE
  PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need etcd etcd-server
need nginx nginx-light
need ip iproute2
need setpriv util-linux
need python3 python3
need cc "gcc libc6-dev"
# Debian's patroni runs by Debian's own Python.
need patroni "patroni python3-psycopg2 python3-etcd"
[ -n "$missing" ] || exit 0

# What packages would start when they are installed asks this file first.
policy=/usr/sbin/policy-rc.d
if [ "$(id -u)" -eq 0 ] && [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
. Scripts/packages.sh
install_packages "$missing" --no-install-recommends -o Dpkg::Options::=--force-confold
