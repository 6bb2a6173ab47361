#!/bin/sh
# Makes the Debian package of a built layoutcache, and tries what is in it.
#
# run.sh BINARY [ROOT]
#   ROOT  a Debian system to install it in, as debootstrap makes one; without it an empty folder,
#         which does for a static binary: there is then nothing but the package.
#
# As root it installs the package and runs the command in that system; else it only unpacks it.
set -eu

binary=$1
cd "$(dirname "$0")/../.."
fail() { echo "package: $1" >&2; exit 1; }
passed() { echo "passed  $1"; }

there() { command -v "$1" >/dev/null 2>&1; }
needs_libraries() { readelf -d "$binary" 2>/dev/null | grep -q NEEDED; }

package=$(sh Scripts/deb.sh "$binary" | sed -n 's/^made //p')
[ -n "$package" ] || fail "deb.sh made nothing"
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
  # An empty system has none of them; what is in the package can be tried all the same.
  if [ -z "${2:-}" ] && needs_libraries; then force=--force-depends; fi
  dpkg --root="$root" --log=/dev/null $force -i "$package" >/dev/null 2>"$root/tmp/complaints" || fail "dpkg does not install it: $(cat "$root/tmp/complaints")"
  dpkg --root="$root" --verify layoutcache || fail "dpkg finds other files than it installed"
  passed "dpkg installs it"
else
  dpkg -x "$package" "$root"
fi

for file in bin/layoutcache share/man/man1/layoutcache.1.gz \
  share/bash-completion/completions/layoutcache share/zsh/vendor-completions/_layoutcache \
  share/fish/vendor_completions.d/layoutcache.fish share/doc/layoutcache/copyright \
  share/doc/layoutcache/changelog.gz share/doc/layoutcache/examples/nginx.conf; do
  [ -s "$root/usr/$file" ] || fail "/usr/$file is missing or empty"
done
passed "all its files are there"

# Each is read by whoever it is for, where that is on this machine.
if there bash; then bash -n "$root/usr/share/bash-completion/completions/layoutcache"; fi
if there zsh; then zsh -n "$root/usr/share/zsh/vendor-completions/_layoutcache"; fi
if there fish; then fish -n "$root/usr/share/fish/vendor_completions.d/layoutcache.fish"; fi
passed "the shells read the completions"

if there man; then
  complaints=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
    "$root/usr/share/man/man1/layoutcache.1.gz" 2>&1 >/dev/null)
  [ -z "$complaints" ] || fail "the manual page: $complaints"
  passed "man reads the manual page without complaints"
fi

unit=$root/lib/systemd/system/layoutcache.service
grep -q '^ExecStart=/usr/bin/layoutcache ' "$unit" || fail "the unit does not start /usr/bin/layoutcache"
if there systemd-analyze; then
  # Of a system that is a folder, what the unit itself says is what can be judged.
  complaints=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -F layoutcache.service |
    grep -v "is not executable" || true)
  [ -z "$complaints" ] || fail "the unit: $complaints"
  passed "systemd-analyze finds nothing wrong with the unit"
fi

# What the shell may need to start a process in there is the package's own.
[ "$(id -u)" = 0 ] || exit 0
if needs_libraries && [ -z "${2:-}" ]; then
  echo "skipped it needs libraries, which an empty system has not"
  exit 0
fi
# Every running system has it; Swift's runtime asks it where the program is.
if [ ! -e "$root/proc/self" ]; then
  mkdir -p "$root/proc"
  if ! mount -t proc proc "$root/proc" 2>/dev/null; then
    echo "skipped running it: /proc can't be mounted here"
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
  # Not by the function, which would run in a shell of its own: the signal is for the service.
  chroot "$root" /usr/bin/layoutcache serve --database /tmp/demo.sqlite --port 18479 2>/dev/null &
  service=$!
  answer=$(curl -s --retry 50 --retry-connrefused --retry-delay 1 \
    'http://127.0.0.1:18479/v1/datasets/tate/layouts/phone/elements?rect=0,0,390,844&limit=1')
  kill "$service"
  wait "$service" || fail "the service ended with $?"
  case $answer in
    '{"dataset":"tate"'*) passed "the service answers and ends in peace" ;;
    *) fail "the service answers '$answer'" ;;
  esac
fi
