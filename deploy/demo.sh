#!/usr/bin/env bash
# The whole flow on this machine: installs what is missing, builds, and runs the demo, which brings
# its own broker and its own PostgreSQL. Flags go to `attest-worker demo`; --help tells them. With
# --gateway first, it is App Check's exchange over HTTP instead, line by line with curl.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

deploy/install-dependencies.sh
find_swift
say "building (a few minutes the first time)"
swift build -c release --static-swift-stdlib --product attest-worker
program="$(swift build -c release --static-swift-stdlib --show-bin-path)/attest-worker"
if [ "${1-}" = --gateway ]; then
    exec deploy/demo-gateway.sh "$program" "${@:2}"
fi
exec "$program" demo "$@"
