#!/usr/bin/env bash
# The tests that need a broker, against one that is no mock.
#
#   deploy/test-broker.sh              noida-db from PyPI, a process of its own with storage of its own
#   deploy/test-broker.sh HOST:PORT    any cluster: topics and groups begin with "attest-", topics are
#                                      deleted at the end; nothing else in it is touched
#
# Needs a build. Faults can be injected into the mock cluster alone: tests that need them use it here, too.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

find_swift
tests='KafkaTransportTests|EndToEndTests.(BadInputTests|RecordedVectorTests|LiveTopicTests)'
tests="$tests|EndToEndTests.StopTests/.*SIGTERM"
if [ "$#" -gt 0 ]; then
    KAFKA_BOOTSTRAP="$1"
    tests="$tests|EndToEndTests.(RebalanceTests|CrashTests)"
else
    if ! deploy/noida-environment.sh; then
        say "SKIPPED: the second broker: noida-db can't be had from PyPI"
        exit 0
    fi
    # It never puts a member out that is gone without a word; CrashTests and the like would wait for that.
    folder="$(mktemp -d)"
    port="$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
    # The program itself: the script in bin would leave it behind.
    "$(echo .build/noida/lib/python3*/site-packages/noida_db/noida-db)" start --only kafka --host 127.0.0.1 --kafka-port "$port" --data-dir "$folder" \
        >"$folder/log" 2>&1 &
    broker=$!
    trap 'kill "$broker" 2>/dev/null; wait "$broker" 2>/dev/null; rm -rf "$folder"' EXIT
    KAFKA_BOOTSTRAP="127.0.0.1:$port"
    for _ in $(seq 100); do
        if kcat -b "$KAFKA_BOOTSTRAP" -L -m 1 >/dev/null 2>&1; then break; fi
        kill -0 "$broker" 2>/dev/null || { cat "$folder/log" >&2; die "noida-db has ended"; }
        sleep 0.1
    done
fi
export KAFKA_BOOTSTRAP
say "tests against the broker at $KAFKA_BOOTSTRAP"
swift test --skip-build --disable-xctest --no-parallel --filter "$tests"
