#!/bin/sh
# Builds .build/layoutcache-VERSION-linux-MACHINE.tar.gz, to be unpacked into /usr/local, and its
# checksum. The name of a command that can be a node of clusters is layoutcache-cluster.
#
# tarball.sh BINARY
#   BINARY  the built layoutcache; a static one runs on every Linux of its architecture. For any
#           other the archive lists the libraries that it needs, with the versions of their symbols
set -eu

binary=$1
cd "$(dirname "$0")/.."
. Scripts/libraries.sh
package=$(package_name "$binary")
name=$package-$("$binary" --version | cut -d ' ' -f 2)-linux-$(uname -m)
root=.build/tarball
rm -rf "$root"
sh Scripts/install.sh "$binary" "$root" /usr/local >/dev/null
mv "$root/usr/local" "$root/$name"
documentation=$root/$name/share/doc/layoutcache
mkdir -p "$documentation/examples"
cp LICENSE CHANGELOG.md "$documentation/"
cp packaging/nginx.conf packaging/layoutcache.env "$documentation/examples/"
if [ "$package" = layoutcache-cluster ]; then
  cp -r packaging/cluster "$documentation/examples/"
else
  cp packaging/Containerfile "$documentation/examples/"
fi
libraries "$binary" >"$documentation/LIBRARIES"
[ -s "$documentation/LIBRARIES" ] || rm "$documentation/LIBRARIES"
find "$root/$name" -type d -exec chmod 755 {} +
find "$documentation" -type f -exec chmod 644 {} +

# The same bytes for the same binary: no names, times or owners of this machine.
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar \
  -C "$root" -cf - "$name" | gzip -9n >".build/$name.tar.gz"
(cd .build && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
rm -rf "$root"
echo "created .build/$name.tar.gz"
