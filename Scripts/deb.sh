#!/bin/sh
# Builds .build/layoutcache_VERSION_ARCHITECTURE.deb.
#
# deb.sh BINARY
#   BINARY  the built layoutcache; a static one results in a package without dependencies
set -eu

binary=$1
cd "$(dirname "$0")/.."
if ! command -v dpkg-deb >/dev/null 2>&1; then
  echo "deb: dpkg-deb is not installed; use Debian or Ubuntu" >&2
  exit 1
fi

# A prerelease sorts before its release.
version=$("$binary" --version | cut -d ' ' -f 2 | tr - '~')
architecture=$(dpkg --print-architecture)
root=.build/deb
rm -rf "$root"
ZSH_FUNCTIONS=share/zsh/vendor-completions sh Scripts/install.sh "$binary" "$root" /usr >/dev/null
# The folder in which Debian expects units.
mkdir -p "$root/lib"
mv "$root/usr/lib/systemd" "$root/lib/systemd"
rmdir "$root/usr/lib"

documentation=$root/usr/share/doc/layoutcache
mkdir -p "$documentation/examples"
{
  echo "https://github.com/layoutcache/layoutcache"
  echo
  cat LICENSE
  printf '\nThe sample of "layoutcache demo" is from Tate'"'"'s collection data, CC0.\n'
} >"$documentation/copyright"
gzip -9nc CHANGELOG.md >"$documentation/changelog.gz"
cp packaging/nginx.conf "$documentation/examples/"
# The settings that the unit reads. Upgrades keep the user's changes.
mkdir -p "$root/etc/layoutcache"
cp packaging/layoutcache.env "$root/etc/layoutcache/"
find "$root" -type d -exec chmod 755 {} +
find "$documentation" "$root/etc" -type f -exec chmod 644 {} +

# A static binary needs no library.
depends=
if readelf -d "$root/usr/bin/layoutcache" 2>/dev/null | grep -q NEEDED; then
  depends="Depends: libc6, libstdc++6, libsqlite3-0, zlib1g"
  # The command of a node of clusters: make deb CLUSTER=1.
  if readelf -d "$root/usr/bin/layoutcache" | grep -q 'NEEDED.*libpq'; then
    depends="$depends, libpq5"
  fi
fi
mkdir "$root/DEBIAN"
echo /etc/layoutcache/layoutcache.env >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  cp "packaging/debian/$script" "$root/DEBIAN/"
  chmod 755 "$root/DEBIAN/$script"
done
{
  cat <<END
Package: layoutcache
Version: $version
Architecture: $architecture
Maintainer: LayoutCache maintainers <maintainers@layoutcache.invalid>
Installed-Size: $(du -sk "$root" | cut -f 1)
END
  if [ -n "$depends" ]; then echo "$depends"; fi
  cat <<END
Section: database
Priority: optional
Homepage: https://github.com/layoutcache/layoutcache
Description: persistent layout engine for feeds
 Lays out feeds of millions of items in columns, lines or grids, stores the
 results in one SQLite file, and answers queries for the elements in a
 rectangle: from a shell, and over HTTP as a service.
END
} >"$root/DEBIAN/control"

package=.build/layoutcache_${version}_$architecture.deb
# All files of the package belong to root, whichever user builds it.
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "created $package"
