#!/bin/sh
# Appends to the log in PostgreSQL beside plain INSERTs of the same rows into the same server by
# pgbench, in turns, without a standby and with a synchronous one; entries a second, and bytes of
# write-ahead log a byte of payload.
#
#   sh Scripts/bench-cluster-log.sh [ROUNDS [SECONDS [BYTES]]]
#
# The servers are its own, in a temporary folder, and write to the disk.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
seconds=${2:-5}
bytes=${3:-256}
threads=8
sh Scripts/setup-cluster.sh
. Scripts/postgres-programs.sh
LAYOUTCACHE_CORE=1 LAYOUTCACHE_CLUSTER=1 swift build -c release --product ClusterLogBenchmark >&2
bench=$(LAYOUTCACHE_CORE=1 LAYOUTCACHE_CLUSTER=1 swift build -c release --show-bin-path)
bench=$bench/ClusterLogBenchmark

work=$(mktemp -d)
chmod 777 "$work"
primary= standby=
trap 'kill -INT $standby $primary 2>/dev/null; wait; rm -rf "$work"' EXIT
start() { # NAME PORT
  $as_server "$programs/postgres" -D "$work/$1" -p "$2" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c shared_buffers=256MB -c max_wal_size=4GB \
    -c wal_compression=on \
    >"$work/$1.log" 2>&1 &
}
url=postgresql://postgres@127.0.0.1:54399/postgres
sql() { psql -X -q -A -t -d "$url" -c "$1"; }
(cd / && $as_server "$programs/initdb" -D "$work/primary" -U postgres -A trust -E UTF8 \
  --locale=C --no-instructions >/dev/null)
start primary 54399; primary=$!
until sql 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done

"$bench" "$url" init
hex=$(printf "%${bytes}s" '' | sed 's/ /5a/g')
sql "CREATE TABLE plain (LIKE layoutcache.log INCLUDING ALL); CREATE SEQUENCE place"
row="(1, nextval('place'), 1, 1700000000000, gen_random_uuid(), 0, :chain, NULL, :payload)"
echo "INSERT INTO plain VALUES $row;" >"$work/plain.sql"

plain() {
  pgbench -n -M prepared -c "$threads" -j 2 -T "$seconds" -f "$work/plain.sql" \
    -D "payload=\\x$hex" -D "chain=\\x$(printf %032d 7)" "$url" 2>&1 |
    awk '/^tps/ {print int($3)}'
}
wal() { sql "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn" ; }
# NAME THREADS DATASETS ENTRIES
turn() {
  sql CHECKPOINT
  before=$(wal)
  base=$(plain)
  between=$(wal)
  set -- "$1" $("$bench" "$url" append "$2" "$3" "$4" "$bytes" "$seconds")
  echo "$1 $base $2 $3 $(((between - before))) $(($(wal) - between)) $bytes $seconds" |
    awk '{printf "%-34s plain %6d/s  log %6d/s  %.2f  behind %5d  WAL a byte %.2f and %.2f\n",
      $1, $2, $3, $3 / $2, $4, $5 / ($2 * $7 * $8), $6 / ($3 * $7 * $8)}'
}
all() {
  for round in $(seq "$rounds"); do
    turn "$1,one-dataset,8-racing,1-entry" 8 1 1
    turn "$1,one-dataset,8-racing,8-entries" 8 1 8
    turn "$1,one-dataset,1-node,8-entries" 1 1 8
    turn "$1,1000-datasets,8-threads,1-entry" 8 1000 1
  done
  "$bench" "$url" poll 1000 "$seconds"
}
all alone

(cd / && $as_server "$programs/pg_basebackup" -D "$work/standby" --checkpoint=fast \
  --write-recovery-conf -d "$url?application_name=standby")
start standby 54398; standby=$!
sql "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
sql "SELECT pg_reload_conf()" >/dev/null
until [ "$(sql 'SELECT sync_state FROM pg_stat_replication')" = sync ]; do sleep 0.2; done
all standby
