#!/bin/sh
# Installs the command with its completions and systemd unit.
#
# install.sh BINARY DESTDIR PREFIX
#   BINARY   the built layoutcache
#   DESTDIR  a prefix of every path, to build a package; otherwise empty
#   PREFIX   such as /usr/local
set -eu

binary=$1
prefix=$3
root=$2$3

say() { echo "install: $1"; }

# Writes standard input to a file. $1: a folder below the prefix, $2: the file's name.
put() {
  mkdir -p "$root/$1"
  cat >"$root/$1/$2"
  chmod 644 "$root/$1/$2"
  say "$root/$1/$2"
}

here=$(dirname "$0")
mkdir -p "$root/bin"
cp "$binary" "$root/bin/layoutcache.new"
strip "$root/bin/layoutcache.new"
chmod 755 "$root/bin/layoutcache.new"
# Renaming also replaces a command that is running.
mv "$root/bin/layoutcache.new" "$root/bin/layoutcache"
say "$root/bin/layoutcache, $("$binary" --version)"

"$binary" --generate-completion-script bash | put share/bash-completion/completions layoutcache
"$binary" --generate-completion-script zsh |
  put "${ZSH_FUNCTIONS:-share/zsh/site-functions}" _layoutcache
"$binary" --generate-completion-script fish | put share/fish/vendor_completions.d layoutcache.fish
if [ "$(uname -s)" = Linux ]; then
  sed -e "s|/usr/local/bin|$prefix/bin|" "$here/../packaging/layoutcache.service" |
    put lib/systemd/system layoutcache.service
fi
