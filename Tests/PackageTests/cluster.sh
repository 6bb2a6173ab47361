#!/bin/sh
# Tests nodes of a cluster in a system, over a separate PostgreSQL on this machine: starts the first
# with the commands of docs/CLUSTER.md, a second, and one from the archive.
#
# cluster.sh ROOT
#   ROOT  the root folder of the system, with the package in /usr and the archive in /usr/local
set -eu

root=$1
cd "$(dirname "$0")/../.."
fail() { echo "package: $*" >&2; exit 1; }
passed() { echo "passed  $1"; }
. Scripts/postgres-programs.sh
if [ -z "$programs" ] || ! command -v curl >/dev/null 2>&1; then
  [ -z "${CI:-}" ] || fail "PostgreSQL or curl is not installed"
  echo "skipped nodes: PostgreSQL or curl is not installed; run Scripts/setup-cluster.sh"
  exit 0
fi

work=$(mktemp -d)
# The server runs as another user.
chmod 777 "$work"
server=
nodes=
# shellcheck disable=SC2317 # called by the trap
clean() {
  for process in $nodes; do kill -KILL "$process" 2>/dev/null || true; done
  if [ -n "$server" ]; then kill -INT "$server" 2>/dev/null || true; fi
  wait
  rm -rf "$work" "$root"/node*.sqlite*
}
trap clean EXIT
(cd / && $as_server "$programs/initdb" -D "$work/data" -U layoutcache -A trust -E UTF8 --locale=C \
  --no-sync --no-instructions >/dev/null)
$as_server "$programs/postgres" -D "$work/data" -p 18481 -c listen_addresses=127.0.0.1 \
  -c unix_socket_directories= -c fsync=off >"$work/postgres.log" 2>&1 &
server=$!
tries=0
until "$programs/pg_isready" -q -h 127.0.0.1 -p 18481; do
  tries=$((tries + 1))
  kill -0 "$server" && [ $tries -lt 300 ] || fail "PostgreSQL does not start:" "$(cat "$work/postgres.log")"
  sleep 0.1
done
export LAYOUTCACHE_CLUSTER_LOG=postgresql://layoutcache@127.0.0.1:18481/postgres

# Starts a node and waits until it is ready. $1: its port. Further arguments: the command.
start() {
  port=$1
  shift
  chroot "$root" "$@" --port "$port" 2>"$work/$port.log" &
  nodes="$nodes $!"
  curl -sf --retry 30 --retry-connrefused --retry-delay 1 -o /dev/null "http://127.0.0.1:$port/readyz" ||
    fail "the node '$*' is not ready:" "$(cat "$work/$port.log")"
}
# Sends a request and prints the answer's position in the log. $1: a node's port, $2: a path of the
# dataset. Further arguments are passed to curl.
position() {
  to=http://127.0.0.1:$1/v1/datasets/art$2
  shift 2
  curl -sf --max-time 20 -o /dev/null -D - "$to" "$@" |
    sed -n 's/^[Ll]ayout[Cc]ache-[Pp]osition: //p' | tr -d '\r'
}
# Expects text in an answer. $1: a node's port, $2: the position to read at, $3: the text.
expect() {
  answer=$(curl -sS --max-time 20 -H "Min-Revision: $2" \
    "http://127.0.0.1:$1/v1/datasets/art/layouts/phone/elements?rect=0,0,390,844")
  case $answer in
    *"$3"*) ;;
    *) fail "the node at port $1 answers '$answer', without $3" ;;
  esac
}

documented=$(sed -n '/^apt install .*layoutcache-cluster_/,/^```/p' docs/CLUSTER.md |
  sed -n 's/ *#.*//; s|^layoutcache |/usr/bin/layoutcache |p')
[ "$(echo "$documented" | wc -l)" = 2 ] || fail "docs/CLUSTER.md has other commands: $documented"
# shellcheck disable=SC2086,SC2046 # lists of words
chroot "$root" $(echo "$documented" | head -n 1) >"$work/init.log" 2>&1 ||
  fail "no log was created:" "$(cat "$work/init.log")"
# shellcheck disable=SC2046 # a list of words
start 18482 $(echo "$documented" | tail -n 1)
start 18483 /usr/bin/layoutcache serve --database node2.sqlite
position 18482 "" -X PUT >/dev/null
position 18482 /batches --data-binary \
  '{"op":"upsert","section":"s","items":[{"key":"first","width":4,"height":3}]}' >/dev/null
token=$(position 18482 /layouts/phone -X PUT -d '{"container": {"width": 390}, "section": {"columns": 2}}')
[ -n "$token" ] || fail "the first node commits nothing:" "$(cat "$work/18482.log")"
expect 18483 "$token" '"key":"first"'
passed "two nodes of the package: a commit at one is read at the other"

start 18484 /usr/local/bin/layoutcache serve --database node3.sqlite
expect 18484 "$token" '"key":"first"'
token=$(position 18484 /batches --data-binary \
  '{"op":"upsert","section":"s","items":[{"key":"second","width":1,"height":1}]}')
[ -n "$token" ] || fail "the node of the archive commits nothing:" "$(cat "$work/18484.log")"
expect 18482 "$token" '"key":"second"'
passed "a node of the archive reads and commits with them"

for process in $nodes; do
  kill "$process"
  wait "$process" || fail "a node ended with status $?"
done
nodes=
