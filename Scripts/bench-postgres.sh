# For the benchmarks of the shared log to source, from the checkout's folder. Builds the measuring
# program, and starts a separate server in a temporary folder on the disk. Sets $bench to the
# program and $url to the server.
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
# The baseline without a log: one row per entry.
sql "CREATE TABLE plain (dataset bigint NOT NULL, sequence bigint NOT NULL,
  revision bigint NOT NULL, at bigint NOT NULL, proposal uuid NOT NULL, kind smallint NOT NULL,
  chain bytea NOT NULL, request bytea, payload bytea NOT NULL, PRIMARY KEY (dataset, sequence));
  CREATE SEQUENCE place"

start_standby() {
  (cd / && $as_server "$programs/pg_basebackup" -D "$work/standby" --checkpoint=fast \
    --write-recovery-conf -d "$url?application_name=standby")
  start standby 54398; standby=$!
  sql "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
  sql "SELECT pg_reload_conf()" >/dev/null
  until [ "$(sql 'SELECT sync_state FROM pg_stat_replication')" = sync ]; do sleep 0.2; done
}

# Plain INSERTs of one row per entry, each in a transaction.
plain() { # CONNECTIONS SECONDS PAYLOAD-BYTES; prints the inserts per second
  hex=$(printf "%${3}s" '' | sed 's/ /5a/g')
  row="(1, nextval('place'), 1, 1700000000000, gen_random_uuid(), 0, :chain, NULL, :payload)"
  echo "INSERT INTO plain VALUES $row;" >"$work/plain.sql"
  pgbench -n -M prepared -c "$1" -j 2 -T "$2" -f "$work/plain.sql" \
    -D "payload=\\x$hex" -D "chain=\\x$(printf %032d 7)" "$url" 2>&1 |
    awk '/^tps/ {print int($3)}'
}

# Prints the bytes of write-ahead log written until now.
wal() { sql "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn" ; }

# Prints the processor time of the servers until now, in milliseconds. The time of an ended process
# is included in that of its parent.
servers() {
  for process in $primary $standby; do
    cat /proc/$process/stat
    for child in $(cat /proc/$process/task/$process/children); do
      cat "/proc/$child/stat" 2>/dev/null | awk '{$16 = $17 = 0; print}' || true
    done
  done | awk -v hertz="$(getconf CLK_TCK)" '{n += $14 + $15 + $16 + $17} END {print int(n * 1000 / hertz)}'
}
