# Functions for the other scripts, which source this file: the shared libraries of a built
# layoutcache.

# Prints the libraries that a binary needs, each with its newest version of symbols, such as
# `libc.so.6 GLIBC_2.34`. Prints nothing for a static binary.
libraries() {
  objdump -p "$1" 2>/dev/null | awk '
    $1 == "NEEDED" { print $2 }
    $1 == "required" { library = $3; sub(":", "", library) }
    library != "" && NF == 4 { print library, $4 }' |
    sort -V | awk '{ newest[$1] = $0 } END { for (name in newest) print newest[name] }' | sort
}

# Prints the name of a binary's package: one with PostgreSQL's client library can be a node of
# clusters.
package_name() {
  if libraries "$1" | grep -q '^libpq\.'; then echo layoutcache-cluster; else echo layoutcache; fi
}
