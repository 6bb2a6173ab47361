#!/bin/sh
# Measures three nodes over the log in PostgreSQL with a synchronous standby, all on this machine,
# compared with plain INSERTs of rows of the same size by as many connections, in turns: commits per
# second, processor time of the servers and of the nodes per commit, bytes of write-ahead log per
# byte of payload; at the end the median of each column over the rounds. Then a node that loads a
# long dataset, and commits during the load.
#
#   sh Scripts/bench-cluster-nodes.sh [ROUNDS [SECONDS [ITEMS]]]
#
# ITEMS is the size of the long dataset; 0 for none. It starts its servers in a temporary folder;
# they write to the disk.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
seconds=${2:-5}
items=${3:-1000000}
. Scripts/bench-postgres.sh
start_standby

# Prints the number of entries of the datasets of this turn, and the bytes of their payloads.
payload() {
  sql "SELECT coalesce(sum(last - first + 1), 0) || ' ' ||
    coalesce(sum(octet_length(requests) - 19 * (last - first + 1)), 0) FROM layoutcache.log
    WHERE dataset > $last"
}
# NAME CLIENTS DATASETS ITEMS-PER-COMMIT SPREAD
turn() {
  last=$(sql "SELECT coalesce(max(id), 0) FROM layoutcache.dataset")
  sql CHECKPOINT
  : >"$work/figures"
  "$bench" "$url" nodes 3 "$2" "$3" "$4" "$seconds" "$5" >>"$work/figures" &
  process=$!
  # The datasets are created before it begins.
  until grep -q begin "$work/figures"; do sleep 0.1; done
  before="$(payload) $(wal) $(servers)"
  wait $process
  echo "$before $(payload) $(wal) $(servers)" | awk '{
    print $5 - $1, $6 - $2, $7 - $3, $8 - $4}' >"$work/log"
  bytes=$(awk '{print int($2 / $1)}' "$work/log")
  sql CHECKPOINT
  before="$(wal) $(servers)"
  base=$(plain "$2" "$seconds" "$bytes")
  echo "$1 $base $seconds $bytes $before $(wal) $(servers) $(cat "$work/log") $(tail -1 "$work/figures")" |
    awk '{
      n = $2 * $3
      plain = ($8 - $6) * 1000 / n
      nodes = $12 * 1000 / $9
      print $1, $2, $13, $13 / $2, $14, $15, plain, nodes, nodes / plain, $16, $4,
        ($7 - $5) / n / $4, $11 / $10 }' | tee -a "$work/rows" | show
}
# Rows of figures as a table.
show() {
  awk '{
    printf "%-38s plain %5d/s  nodes %5d/s  %.2f  median %5.1f ms  99%% %5.1f ms  " \
      "servers %3d and %3d us, %.2f  nodes %3d us  payload %4d  WAL per byte %.2f and %.2f\n",
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 }'
}
# The median of each column over the rows of a name.
medians() {
  awk '
    !($1 in count) { names[++nameCount] = $1 }
    { count[$1]++; for (i = 2; i <= NF; i++) value[$1, i, count[$1]] = $i + 0; fields = NF }
    END {
      for (k = 1; k <= nameCount; k++) {
        name = names[k]; n = count[name]; line = name
        for (i = 2; i <= fields; i++) {
          for (a = 2; a <= n; a++)
            for (b = a; b > 1 && value[name, i, b] < value[name, i, b - 1]; b--) {
              swap = value[name, i, b]
              value[name, i, b] = value[name, i, b - 1]
              value[name, i, b - 1] = swap
            }
          line = line " " value[name, i, int((n + 1) / 2)]
        }
        print line
      }
    }' "$work/rows" | show
}

: >"$work/rows"
for round in $(seq "$rounds"); do
  turn one-dataset,8-clients,1-item 8 1 1 0
  turn one-dataset,24-clients,1-item 24 1 1 0
  turn one-dataset,24-at-3-nodes,1-item 24 1 1 1
  turn 1000-datasets,24-clients,1-item 24 1000 1 0
  turn 1000-datasets,24-clients,10-items 24 1000 10 0
  turn one-dataset,24-clients,10-items 24 1 10 0
  turn 100-datasets,90-clients,1-item 90 100 1 0
done
echo "medians of $rounds rounds"
medians
[ "$items" != 0 ] || exit 0
echo "a node loads $items items: seconds to read only the chunks, to load them, to the first answer;"
echo "seconds of processor time"
"$bench" "$url" join "$items" "$rounds"
echo "one client's commits during the load: per second without and with it, their ratio; the longest"
echo "in milliseconds without and with it; the duration of the load in seconds"
"$bench" "$url" waits "$((items * 2))" "$rounds" 1
