#!/usr/bin/env bash
# Makes the secrets of compose.yaml, those that are missing: random bytes in deploy/compose/secrets,
# which git ignores.
set -euo pipefail
cd "$(dirname "$0")"

mkdir -p secrets
# Containers read the files as users of their own, so the files are open and the folder is not.
chmod 700 secrets
for name in postgres-password worker-password simulation-seed grafana-password challenges-secret \
    artifacts-secret api-key backend-token; do
    if [ ! -s "secrets/$name" ]; then
        openssl rand -hex 32 | tr -d '\n' >"secrets/$name"
        chmod 644 "secrets/$name"
        echo "made deploy/compose/secrets/$name"
    fi
done
if [ ! -s secrets/token-key ]; then
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out secrets/token-key 2>/dev/null
    chmod 644 secrets/token-key
    echo "made deploy/compose/secrets/token-key"
fi
