#!/bin/bash
# Measures how long `keys erase` searches the inbox, for one key and for a thousand.
#
#   Benchmarks/erase.sh [rows] [path of attest-worker]
#
# It makes a PostgreSQL of its own in a temporary folder (fsync on) and removes it at the end.
# As root it runs the server as the user postgres.
set -euo pipefail

rows=${1:-2000000} worker=${2:-$PWD/.build/debug/attest-worker}
binaries=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
folder=$(mktemp -d /tmp/attest-erase-XXXXXX)
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
    -o "-c listen_addresses= -c unix_socket_directories=$folder"
conninfo="host=$folder user=postgres dbname=postgres"
sql() { "$binaries/psql" -X -q -A -t -v ON_ERROR_STOP=1 -v rows="$rows" "$conninfo"; }
"$worker" migrate "--postgres.connection=$conninfo" >/dev/null
# A thousand keys of twenty thousand are stored; each has its share of the inbox.
sql <<'SQL'
INSERT INTO attest.keys (key_id, app_id, environment, public_key, sign_count, status, attested_by)
SELECT digest, 'TEAM.app', 'production', '\x04'::bytea || digest || digest, 1, 'active', 'apple'
FROM (SELECT sha256(n::text::bytea) AS digest FROM generate_series(1, 1000) AS n) AS keys;
INSERT INTO attest.inbox (request, content_digest, verdict)
SELECT gen_random_uuid(), sha256(n::text::bytea), convert_to(format(
    '{"appId":"TEAM.com.example.app","environment":"production","keyId":"%s","outcome":"accepted",'
    '"requestId":"request-%s","signCount":5,"source":{"offset":%s,"partition":3,'
    '"topic":"attest.requests.v1"},"subject":"user-%s","type":"assertion",'
    '"verdictId":"7d4c7d4c-7d4c-8d4c-9d4c-7d4c7d4c7d4c"}',
    encode(sha256((n % 20000)::text::bytea), 'base64'), n, n, n), 'UTF8')
FROM generate_series(1, :rows) AS n;
SQL
echo "$rows rows, $(sql <<<"SELECT pg_size_pretty(pg_relation_size('attest.inbox'))")," \
    "$(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg)"
sql >"$folder/ids" <<<"SELECT encode(key_id, 'base64') FROM attest.keys"
for count in 1 1000; do
    echo "$count key(s)"
    head -n "$count" "$folder/ids" >"$folder/some"
    time "$worker" keys erase --app-id=TEAM.app --keys="$folder/some" \
        "--postgres.connection=$conninfo" >/dev/null
done
