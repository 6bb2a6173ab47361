# To be sourced: where PostgreSQL's server is, in $programs, and in $as_server the words before
# a program of it, which does not run as root.
programs=$(for place in $(echo "$PATH" | tr : ' ') $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null |
  sort -t / -k 5 -n -r); do
  [ -x "$place/initdb" ] && [ -x "$place/pg_basebackup" ] && echo "$place" && break
done) || programs=
as_server=
[ "$(id -u)" -ne 0 ] || as_server="setpriv --reuid=postgres --regid=postgres --clear-groups"
