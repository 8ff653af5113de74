#!/usr/bin/env bash
# The examples in schemas/examples/clients and the code of docs/testing-your-backend.md, against an
# embedded worker. Needs a build; uses PyPI for confluent-kafka, or Debian's package of it. What this
# machine lacks the programs for is skipped, and each time that is said.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

find_swift
program="$(swift build --show-bin-path)/attest-worker"
[ -x "$program" ] || die "build first: $program is not there"
clients=schemas/examples/clients
venv=.build/clients/venv

if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import confluent_kafka' 2>/dev/null; then
    rm -rf "$venv"
    mkdir -p .build/clients
    if python3 -m venv "$venv" >/dev/null 2>&1 &&
        timeout 120 "$venv/bin/pip" install --quiet --disable-pip-version-check \
            -r "$clients/requirements.txt" >/dev/null 2>&1; then
        say "confluent-kafka from PyPI, as pinned in $clients/requirements.txt"
    else
        rm -rf "$venv"
    fi
fi
python="$venv/bin/python"
if [ ! -x "$python" ]; then
    python="$(command -v python3)"
    if ! "$python" -c 'import confluent_kafka' 2>/dev/null; then
        python=""
        say "SKIPPED: the Python clients: neither PyPI nor Debian's python3-confluent-kafka"
    else
        say "confluent-kafka as this machine has it"
    fi
fi
if [ -n "$python" ]; then
    # Absolute, without resolving the link by which a venv's Python knows what it is.
    python="$(cd "$(dirname "$python")" && pwd)/$(basename "$python")"
    PATH="$(dirname "$program"):$PATH"
    export PATH PYTHONDONTWRITEBYTECODE=1

    say "every fixture through Python's client"
    "$python" "$clients/test_fixtures.py" "$program"

    say "the tutorial's test, from its text"
    tutorial=.build/clients/tutorial
    rm -rf "$tutorial"
    mkdir -p "$tutorial"
    cp "$clients"/*.py "$tutorial"
    awk -v folder="$tutorial" '
        /^```/ { file = ""; next }
        /^# file: [A-Za-z_]+\.py$/ { file = folder "/" $3; count++; next }
        file != "" { print > file }
        END { exit count == 2 ? 0 : 1 }
    ' docs/testing-your-backend.md || die "the tutorial's two files are not in its text"
    (cd "$tutorial" && "$python" -m unittest test_backend)
fi

if command -v node >/dev/null; then
    say "Node's client while the broker is away (kafkajs is a stand-in: it is not installed here)"
    node --check "$clients/gateway.mjs"
    node=.build/clients/node
    rm -rf "$node"
    mkdir -p "$node/node_modules"
    cp -r Tests/Clients/kafkajs "$node/node_modules"
    cp Tests/Clients/gateway_test.mjs "$clients/gateway.mjs" "$node"
    node --test "$node/gateway_test.mjs"
else
    say "SKIPPED: Node's client: there is no node; Debian's package nodejs has it"
fi

if command -v javac >/dev/null; then
    say "the syntax of Java's client"
    java Tests/Clients/SyntaxCheck.java "$clients/Gateway.java"
else
    say "SKIPPED: Java's client: there is no JDK; Debian's package default-jdk-headless is one"
fi
