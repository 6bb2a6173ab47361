#!/bin/sh
# Builds a package of Debian in .build: layoutcache_VERSION_ARCHITECTURE.deb, or
# layoutcache-cluster_VERSION_ARCHITECTURE.deb for a command that can be a node of clusters.
#
# deb.sh BINARY
#   BINARY  the built layoutcache; a static one results in a package without dependencies
set -eu

binary=$1
cd "$(dirname "$0")/.."
. Scripts/libraries.sh
if ! command -v dpkg-deb >/dev/null 2>&1; then
  echo "deb: dpkg-deb is not installed; use Debian or Ubuntu" >&2
  exit 1
fi

name=$(package_name "$binary")
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

documentation=$root/usr/share/doc/$name
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

# Only one of the two packages can be installed: each replaces the other.
other=layoutcache-cluster provides=
synopsis="persistent layout engine for feeds"
if [ "$name" = layoutcache-cluster ]; then
  cp -r packaging/cluster "$documentation/examples/"
  other=layoutcache provides="Provides: layoutcache (= $version)"
  synopsis="$synopsis, for nodes of a cluster"
fi
find "$root" -type d -exec chmod 755 {} +
find "$documentation" -type f -exec chmod 644 {} +
# It may have the password of a cluster's log. systemd reads it as root.
chmod 600 "$root/etc/layoutcache/layoutcache.env"

# The packages of the libraries that the command needs, in the lowest versions that have its
# symbols. A static command needs none.
depends=
mkdir "$root/DEBIAN"
if [ -n "$(libraries "$binary")" ]; then
  . Scripts/packages.sh
  command -v dpkg-shlibdeps >/dev/null 2>&1 ||
    install_packages " dpkg-dev" --no-install-recommends
  # The program requires the file debian/control.
  source=.build/deb-source
  mkdir -p "$source/debian"
  printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$name" "$name" >"$source/debian/control"
  command=$PWD/$root/usr/bin/layoutcache
  depends=$(cd "$source" &&
    dpkg-shlibdeps -O --warnings=0 --ignore-missing-info "$command" 2>messages) ||
    { cat "$source/messages" >&2; exit 1; }
  missing=$(sed -n "s/.* library name '\(.*\)'$/\1/p" "$source/messages" | sort -u)
  if [ -n "$missing" ]; then
    echo "deb: the package is only for this machine; no package has" $missing >&2
  fi
  depends="Depends: ${depends#shlibs:Depends=}"
  rm -r "$source"
fi
echo /etc/layoutcache/layoutcache.env >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  cp "packaging/debian/$script" "$root/DEBIAN/"
  chmod 755 "$root/DEBIAN/$script"
done
{
  cat <<END
Package: $name
Version: $version
Architecture: $architecture
Maintainer: LayoutCache maintainers <maintainers@layoutcache.invalid>
Installed-Size: $(du -sk "$root" | cut -f 1)
END
  for field in "$depends" "$provides"; do if [ -n "$field" ]; then echo "$field"; fi; done
  cat <<END
Conflicts: $other
Replaces: $other
Section: database
Priority: optional
Homepage: https://github.com/layoutcache/layoutcache
Description: $synopsis
 Lays out feeds of millions of items in columns, lines or grids, stores the
 results in one SQLite file, and answers queries for the elements in a
 rectangle: from a shell, and over HTTP as a service.
END
} >"$root/DEBIAN/control"

package=.build/${name}_${version}_$architecture.deb
# All files of the package belong to root, whichever user builds it.
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "created $package"
