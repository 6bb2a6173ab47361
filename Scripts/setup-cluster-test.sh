#!/bin/sh
# Installs the dependencies of `make cluster-test` from Debian or Ubuntu: PostgreSQL with Patroni,
# etcd, nginx, a C compiler, and tools for network namespaces. Starts no service of the
# distribution: the test starts separate ones.
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
# Debian's patroni uses Debian's Python.
need patroni "patroni python3-psycopg2 python3-etcd"
[ -n "$missing" ] || exit 0

# A package that would start a service when it is installed runs this file first; 101 forbids it.
policy=/usr/sbin/policy-rc.d
if [ "$(id -u)" -eq 0 ] && [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
. Scripts/packages.sh
install_packages "$missing" --no-install-recommends -o Dpkg::Options::=--force-confold
