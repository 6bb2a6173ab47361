#!/bin/sh
# Builds the Debian package, the archive and the image of a built layoutcache, and tests their
# contents.
#
# run.sh BINARY [ROOT]
#   ROOT  the root folder of a Debian system, such as one created by debootstrap, in which the
#         package is installed (default: an empty folder, into which the libraries of a dynamic
#         binary are copied)
#
# As root, installs the package and runs the command in that system; otherwise only unpacks it.
set -eu

binary=$1
cd "$(dirname "$0")/../.."
fail() { echo "package: $1" >&2; exit 1; }
passed() { echo "passed  $1"; }

there() { command -v "$1" >/dev/null 2>&1; }
needs_libraries() { readelf -d "$binary" 2>/dev/null | grep -q NEEDED; }
# Copies the libraries into a folder that is the root of the binary.
add_libraries() {
  needs_libraries || return 0
  ldd "$binary" | grep -o '/[^ )]*' | while read -r library; do
    mkdir -p "$1$(dirname "$library")"
    cp -L "$library" "$1$library"
  done
}

package=$(sh Scripts/deb.sh "$binary" | sed -n 's/^created //p')
[ -n "$package" ] || fail "deb.sh printed no file name"
root=${2:-}
made=
mounted=
# shellcheck disable=SC2317 # called by the trap
clean() {
  if [ -n "$mounted" ]; then umount "$mounted"; fi
  if [ -n "$made" ]; then rm -rf "$made"; fi
}
trap clean EXIT
if [ -z "$root" ]; then
  root=$(mktemp -d)
  made=$root
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/tmp"
  : >"$root/var/lib/dpkg/status"
fi

if [ "$(id -u)" = 0 ]; then
  force=
  # An empty system has no shell for the package's scripts.
  if [ -z "${2:-}" ]; then force=--force-script-chrootless; fi
  # It has no libraries either, and the package can be tested without its dependencies.
  if [ -z "${2:-}" ] && needs_libraries; then force="$force --force-depends"; fi
  # shellcheck disable=SC2086 # a list of options
  dpkg --root="$root" --log=/dev/null $force -i "$package" >/dev/null 2>"$root/tmp/complaints" || fail "dpkg does not install it: $(cat "$root/tmp/complaints")"
  dpkg --root="$root" --verify layoutcache || fail "dpkg finds other files than it installed"
  passed "dpkg installs it"
  settings=$root/etc/layoutcache/layoutcache.env
  echo LAYOUTCACHE_PORT=8090 >>"$settings"
  # shellcheck disable=SC2086 # a list of options
  dpkg --root="$root" --log=/dev/null $force -i "$package" >/dev/null 2>&1 ||
    fail "dpkg does not install it again"
  grep -q '^LAYOUTCACHE_PORT=8090$' "$settings" || fail "an upgrade drops changed settings"
  passed "changed settings survive an upgrade"
else
  dpkg -x "$package" "$root"
fi

for file in bin/layoutcache \
  share/bash-completion/completions/layoutcache share/zsh/vendor-completions/_layoutcache \
  share/fish/vendor_completions.d/layoutcache.fish share/doc/layoutcache/copyright \
  share/doc/layoutcache/changelog.gz share/doc/layoutcache/examples/nginx.conf; do
  [ -s "$root/usr/$file" ] || fail "/usr/$file is missing or empty"
done
passed "the package contains all files"

# The package's scripts, with a systemctl that records its arguments, on a system that appears to
# run systemd.
scripts=$(mktemp -d)
recorded() {
  : >"$scripts/recorded"
  # Only the path is changed.
  sed "s|/run/systemd/system|$scripts|" "packaging/debian/$1" >"$scripts/$1"
  script=$1
  shift
  (unset DPKG_ROOT; PATH="$scripts:$PATH" sh "$scripts/$script" "$@") || fail "$script $* fails"
  tr '\n' ';' <"$scripts/recorded"
}
printf '#!/bin/sh\necho "$@" >>"%s/recorded"\n' "$scripts" >"$scripts/systemctl"
chmod 755 "$scripts/systemctl"
[ "$(recorded postinst configure "")" = "daemon-reload;" ] || fail "the first installation restarts"
[ "$(recorded postinst configure 0.9)" = "daemon-reload;try-restart layoutcache.service;" ] ||
  fail "an upgrade does not restart the service"
[ "$(recorded prerm upgrade 1.0)" = "" ] || fail "an upgrade stops the service before its files are there"
[ "$(recorded prerm remove)" = "stop layoutcache.service;disable layoutcache.service;" ] ||
  fail "a removal does not stop the service"
[ "$(recorded postrm purge)" = "daemon-reload;" ] || fail "a removal does not reload systemd"
rm -rf "$scripts"
passed "the scripts reload systemd, and restart a running service after an upgrade"

# Each shell on this machine parses its completions.
if there bash; then bash -n "$root/usr/share/bash-completion/completions/layoutcache"; fi
if there zsh; then zsh -n "$root/usr/share/zsh/vendor-completions/_layoutcache"; fi
if there fish; then fish -n "$root/usr/share/fish/vendor_completions.d/layoutcache.fish"; fi
passed "the shells read the completions"

unit=$root/lib/systemd/system/layoutcache.service
grep -q '^ExecStart=/usr/bin/layoutcache ' "$unit" || fail "the unit does not start /usr/bin/layoutcache"
if there systemd-analyze; then
  # Only messages about the unit itself: the rest of the system is missing.
  complaints=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -F layoutcache.service |
    grep -v "is not executable" || true)
  [ -z "$complaints" ] || fail "the unit: $complaints"
  passed "systemd-analyze finds nothing wrong with the unit"
fi

# The archive: complete, reproducible, and with its checksum.
archive=$(sh Scripts/tarball.sh "$binary" | sed -n 's/^created //p')
[ -n "$archive" ] || fail "tarball.sh printed no file name"
(cd .build && sha256sum --quiet -c "$(basename "$archive").sha256") || fail "the checksum is wrong"
unpacked=$(mktemp -d)
cp "$archive" "$unpacked/first"
sh Scripts/tarball.sh "$binary" >/dev/null
cmp "$archive" "$unpacked/first" || fail "a second archive differs from the first"
mkdir -p "$unpacked/usr/local"
tar -xzf "$archive" -C "$unpacked/usr/local" --strip-components=1
for file in bin/layoutcache lib/systemd/system/layoutcache.service \
  share/bash-completion/completions/layoutcache share/doc/layoutcache/LICENSE \
  share/doc/layoutcache/examples/layoutcache.env; do
  [ -s "$unpacked/usr/local/$file" ] || fail "$file is missing in the archive"
done
[ "$("$unpacked/usr/local/bin/layoutcache" --version)" = "$("$binary" --version)" ] ||
  fail "the archive has another command"
rm -rf "$unpacked"
passed "the archive is complete, reproducible, and has its checksum"

# Runs the command in the root folder.
[ "$(id -u)" = 0 ] || exit 0
if [ -z "${2:-}" ]; then add_libraries "$root"; fi
# Swift's runtime finds the program's path in /proc, which every running system has.
if [ ! -e "$root/proc/self" ]; then
  mkdir -p "$root/proc"
  if ! mount -t proc proc "$root/proc" 2>/dev/null; then
    echo "skipped running it: /proc cannot be mounted"
    exit 0
  fi
  mounted=$root/proc
fi
run() { chroot "$root" /usr/bin/layoutcache "$@"; }
run --version
run demo --items 1000 --database /tmp/demo.sqlite >/dev/null
run verify --database /tmp/demo.sqlite >/dev/null
passed "the demo runs and its file is sound, in a system with nothing else"
if there curl; then
  # Without the function, which would run in a subshell: the signal must reach the service.
  chroot "$root" /usr/bin/layoutcache serve --database /tmp/demo.sqlite --port 18479 2>/dev/null &
  service=$!
  answer=$(curl -s --retry 50 --retry-connrefused --retry-delay 1 \
    'http://127.0.0.1:18479/v1/datasets/tate/layouts/feed@390/elements?rect=0,0,390,844&limit=1')
  kill "$service"
  wait "$service" || fail "the service ended with $?"
  case $answer in
    '{"dataset":"tate"'*) passed "the service answers, and ends with status 0" ;;
    *) fail "the service answers '$answer'" ;;
  esac
fi

# The image, without a container engine: its files as the root, its user, its environment.
image=$(mktemp -d)
mkdir -p "$image/usr/local/bin" "$image/proc"
if needs_libraries; then
  if sh Scripts/image.sh "$binary" >/dev/null 2>&1; then
    fail "image.sh accepts a command that needs libraries"
  fi
  mkdir "$image/data" "$image/tmp"
  cp "$binary" "$image/usr/local/bin/layoutcache"
  add_libraries "$image"
else
  sh Scripts/image.sh "$binary" >/dev/null
  cmp packaging/Containerfile .build/image/Containerfile || fail "the image has another Containerfile"
  cp .build/image/layoutcache "$image/usr/local/bin/"
  cp -r .build/image/data .build/image/tmp "$image/"
fi
chown 65532:65532 "$image/data" "$image/tmp"
chmod 755 "$image"
mount -t proc proc "$image/proc"
# shellcheck disable=SC2317 # called by the trap
clean_image() { umount "$image/proc"; rm -rf "$image"; clean; }
trap clean_image EXIT
environment=$(sed -n 's/^ENV //p' packaging/Containerfile)
user=$(sed -n 's/^USER //p' packaging/Containerfile)
grep -q '^FROM scratch$' packaging/Containerfile || fail "the image has more than the command"
start() {
  # shellcheck disable=SC2086 # a list of assignments
  exec env -i $environment LAYOUTCACHE_PORT=18480 "$@" \
    "$(command -v chroot)" --userspec="$user" "$image" /usr/local/bin/layoutcache serve
}
if (start) 2>"$image/tmp/log"; then fail "the image serves all clients without tokens"; fi
grep -q token "$image/tmp/log" || fail "the image says '$(cat "$image/tmp/log")'"
token=$("$binary" token test --write '*' --tokens "$image/tokens")
(start LAYOUTCACHE_TOKENS=/tokens) 2>"$image/tmp/log" &
service=$!
answer=$(curl -s --retry 50 --retry-connrefused --retry-delay 1 -X PUT \
  -H "Authorization: Bearer $token" http://127.0.0.1:18480/v1/datasets/art)
kill "$service"
wait "$service" || fail "the service of the image ended with $?: $(cat "$image/tmp/log")"
case $answer in
  '{"dataset":"art"'*) ;;
  *) fail "the service of the image answers '$answer': $(cat "$image/tmp/log")" ;;
esac
[ "$(stat -c %u "$image/data/feeds.sqlite")" = 65532 ] || fail "the database is another user's"
passed "the image's command serves as its user, with nothing else"
