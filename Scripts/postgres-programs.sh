# For other scripts to source. Sets $programs to the folder of PostgreSQL's server programs, and
# $as_server to the command prefix that runs them as another user than root.
programs=$(for folder in $(echo "$PATH" | tr : ' ') $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null |
  sort -t / -k 5 -n -r); do
  [ -x "$folder/initdb" ] && [ -x "$folder/pg_basebackup" ] && echo "$folder" && break
done) || programs=
as_server=
[ "$(id -u)" -ne 0 ] || as_server="setpriv --reuid=postgres --regid=postgres --clear-groups"
