#!/bin/sh
# Builds the Debian package, the archive and the image of a built layoutcache, and tests their
# contents.
#
# run.sh BINARY [ROOT]
#   ROOT  the root folder of a Debian system, such as one created by debootstrap, in which the
#         package is installed (default: an empty folder, with nothing but the libraries of the
#         packages that a dynamic binary's package depends on)
#
# As root, installs the package and runs the command in that system; otherwise only unpacks it.
set -eu

binary=$1
cd "$(dirname "$0")/../.."
. Scripts/libraries.sh
fail() { echo "package: $1" >&2; exit 1; }
passed() { echo "passed  $1"; }

there() { command -v "$1" >/dev/null 2>&1; }
needs_libraries() { [ -n "$(libraries "$binary")" ]; }

# Prints the installed packages that packages depend on, and themselves.
with_dependencies() {
  found=
  while [ -n "$1" ]; do
    next=
    for one in $1; do
      # Virtual packages and alternatives may be missing.
      case " $found " in *" $one "*) continue ;; esac
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$one" 2>/dev/null)" = installed ] || continue
      found="$found $one"
      next="$next, $(dpkg-query -W -f '${Pre-Depends}, ${Depends}' "$one")"
    done
    set -- "$(echo "$next" | sed 's/([^)]*)//g; s/:any//g; s/[,|]/ /g')"
    [ -n "$(echo $1)" ] || break
  done
  echo $found
}
# Copies the libraries of the packages that the package depends on into a folder, from this system,
# and those that are of no package, with the ones that they need: Swift's, of a build for tests.
add_libraries() {
  needs_libraries || return 0
  for folder in lib lib64; do
    if [ -L "/$folder" ]; then cp -P "/$folder" "$1/"; fi
  done
  mkdir -p "$1/usr/lib" "$1/usr/lib64"
  # shellcheck disable=SC2086 # a list of words
  dpkg-query -L $dependencies | grep '/lib.*\.so' | sort -u | sed 's|^/||' |
    tar -C / -cf - --no-recursion -T - | tar -C "$1" -xf - --keep-directory-symlink
  loaded=$(ldd "$binary" | grep -o '/[^ )]*')
  for library in $loaded; do
    if dpkg-query -S "*/$(basename "$library")" >/dev/null 2>&1; then continue; fi
    for needed in "$library" $(libraries "$library" | cut -d ' ' -f 1); do
      needed=$(echo "$loaded" | grep -F -m 1 "$needed")
      # A link may lead out of the folder.
      if [ -e "$1$needed" ] || [ -L "$1$needed" ]; then continue; fi
      mkdir -p "$1$(dirname "$needed")"
      cp -L "$needed" "$1$needed"
    done
  done
}

package=$(sh Scripts/deb.sh "$binary" | sed -n 's/^created //p')
[ -n "$package" ] || fail "deb.sh printed no file name"
name=$(package_name "$binary")
dependencies=$(with_dependencies "$(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,/ /g')")
given=${2:-}
root=$given
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
  add_libraries "$root"
  # dpkg checks their versions.
  for one in $dependencies; do
    { dpkg-query -s "$one"; echo; } >>"$root/var/lib/dpkg/status"
    cp "/var/lib/dpkg/info/$one"[.:]*list "$root/var/lib/dpkg/info/"
  done
fi

if [ "$(id -u)" = 0 ]; then
  # An empty system has no shell for the package's scripts.
  force=
  if [ -z "$given" ]; then force=--force-script-chrootless; fi
  install() {
    # shellcheck disable=SC2086 # a list of options
    dpkg --root="$root" --log=/dev/null $force -i "$1" >/dev/null 2>"$root/tmp/complaints" ||
      fail "dpkg does not install $1: $(cat "$root/tmp/complaints")"
  }
  status() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Status}' "$1" 2>/dev/null; }
  install "$package"
  dpkg --root="$root" --verify "$name" || fail "dpkg finds other files than it installed"
  passed "dpkg installs it"
  settings=$root/etc/layoutcache/layoutcache.env
  [ "$(stat -c %a "$settings")" = 600 ] || fail "other users can read the settings"
  echo LAYOUTCACHE_PORT=8090 >>"$settings"
  install "$package"
  grep -q '^LAYOUTCACHE_PORT=8090$' "$settings" || fail "an upgrade drops changed settings"
  passed "changed settings survive an upgrade"

  # The other of the two packages, with the same files.
  other=$(dpkg-deb -f "$package" Conflicts)
  copy=$(mktemp -d)
  dpkg-deb -R "$package" "$copy/root"
  sed -i -e "s/^Package: .*/Package: $other/" -e "/^Provides:/d" \
    -e "s/^\(Conflicts\|Replaces\): .*/\1: $name/" "$copy/root/DEBIAN/control"
  dpkg-deb -Znone --build "$copy/root" "$copy/other.deb" >/dev/null
  replaces() { # FILE NEW OLD
    install "$1"
    [ "$(status "$2")" = installed ] || fail "$2 is '$(status "$2")'"
    [ "$(status "$3")" != installed ] || fail "$2 does not replace $3"
    grep -q '^LAYOUTCACHE_PORT=8090$' "$settings" || fail "$2 drops the changed settings of $3"
  }
  replaces "$copy/other.deb" "$other" "$name"
  replaces "$package" "$name" "$other"
  rm -rf "$copy"
  passed "it and $other replace each other, and changed settings stay"
else
  dpkg -x "$package" "$root"
fi

for file in bin/layoutcache \
  share/bash-completion/completions/layoutcache share/zsh/vendor-completions/_layoutcache \
  share/fish/vendor_completions.d/layoutcache.fish "share/doc/$name/copyright" \
  "share/doc/$name/changelog.gz" "share/doc/$name/examples/nginx.conf"; do
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
if needs_libraries && [ ! -s "$unpacked/usr/local/share/doc/layoutcache/LIBRARIES" ]; then
  fail "the archive does not list the libraries"
fi
mkdir -p "$root/usr/local"
cp -R "$unpacked/usr/local/." "$root/usr/local"
rm -rf "$unpacked"
passed "the archive is complete, reproducible, and has its checksum"

# Runs the command in the root folder.
[ "$(id -u)" = 0 ] || exit 0
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
sed 's/^#LAYOUTCACHE_/LAYOUTCACHE_/' packaging/layoutcache.env >"$root/tmp/layoutcache.env"
run serve --config /tmp/layoutcache.env --print-configuration >/dev/null ||
  fail "the service rejects the file of settings"
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
if [ "$name" = layoutcache-cluster ]; then sh Tests/PackageTests/cluster.sh "$root"; fi

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
