#!/bin/sh
# Measures appends to the log in PostgreSQL compared with plain INSERTs of the same rows into the
# same server by pgbench, in turns, without a standby and with a synchronous one: entries per
# second, and bytes of write-ahead log per byte of payload.
#
#   sh Scripts/bench-cluster-log.sh [ROUNDS [SECONDS [BYTES]]]
#
# It starts its servers in a temporary folder; they write to the disk.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
seconds=${2:-5}
bytes=${3:-256}
threads=8
. Scripts/bench-postgres.sh

# NAME THREADS DATASETS ENTRIES
turn() {
  sql CHECKPOINT
  before=$(wal)
  base=$(plain "$threads" "$seconds" "$bytes")
  between=$(wal)
  set -- "$1" $("$bench" "$url" append "$2" "$3" "$4" "$bytes" "$seconds")
  echo "$1 $base $2 $3 $(((between - before))) $(($(wal) - between)) $bytes $seconds" |
    awk '{printf "%-34s plain %6d/s  log %6d/s  %.2f  lost %5d  WAL per byte %.2f and %.2f\n",
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

start_standby
all standby
