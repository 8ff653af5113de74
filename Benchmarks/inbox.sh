#!/bin/bash
# Measures the inbox: one table that is pruned by deletes against a partition a day.
#
#   Benchmarks/inbox.sh [rows a day] [days of retention] [rounds]
#
# It makes a PostgreSQL of its own in a temporary folder (fsync on) and removes it at the end.
# As root it runs the server as the user postgres.
set -euo pipefail

daily=${1:-20000} retention=${2:-8} rounds=${3:-2}
here=$(cd "$(dirname "$0")" && pwd)
binaries=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
folder=$(mktemp -d /tmp/attest-inbox-XXXXXX)
as=()
if [ "$(id -u)" = 0 ]; then
    chown postgres: "$folder"
    as=(runuser -u postgres --)
fi
cleanup() {
    cd /
    "${as[@]}" "$binaries/pg_ctl" stop -s -D "$folder/data" -m immediate || true
    rm -rf "$folder"
}
trap cleanup EXIT

cd "$folder"
"${as[@]}" "$binaries/initdb" -D "$folder/data" -U postgres -A trust --locale=C.UTF-8 >/dev/null
"${as[@]}" "$binaries/pg_ctl" start -s -w -D "$folder/data" -l "$folder/log" \
    -o "-c listen_addresses= -c autovacuum=off -c unix_socket_directories=$folder"
echo "$("$binaries/postgres" --version), $daily rows a day, $retention days," \
    "$(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg)"
for ((round = 1; round <= rounds; round++)); do
    for shape in one_table days; do
        "$binaries/psql" -X -q -h "$folder" -U postgres -v shape=$shape -v daily="$daily" \
            -v retention="$retention" -f "$here/inbox.sql" postgres | sed '/^$/d'
    done
done
