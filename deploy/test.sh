#!/usr/bin/env bash
# Every check there is: installs what is missing, then lint, build, a short fuzz run, documentation,
# a soak of five minutes, and last the tests, whose own summary ends the output. Ends with 0 only if all passed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

deploy/install-dependencies.sh
find_swift
say "toolchain: $(swift --version 2>/dev/null | head -n 1)"

say "lint"
swift format lint --strict --recursive Sources Tests Package.swift
for script in deploy/*.sh deploy/*/*.sh .ci/run; do bash -n "$script"; done
deploy/mutations.sh --check

say "build, warnings are errors"
swift build --build-tests

say "Python packages of the second verifier"
deploy/python-environment.sh || say "they can't be had: its test will be skipped"

say "fuzz, a short run"
deploy/fuzz.sh 5

say "clients in other languages"
deploy/test-clients.sh

say "what is shipped for operators"
deploy/check.sh

if [ -x deploy/docs.sh ]; then
    say "documentation"
    deploy/docs.sh
fi

# A new seed each time, and it is printed. ATTEST_SOAK_MINUTES makes it longer or shorter.
say "workers under load and faults"
deploy/soak.sh

say "tests against a broker that is no mock"
deploy/test-broker.sh

# Those that start servers and processes come second and one after the other: beside the others, two
# cores would be too few for their time limits.
integration='EndToEndTests|HTTPClientTests|KafkaTransportTests|PostgresStoreTests|TraceExportTests'
say "tests, first those that need no server"
swift test --skip-build --disable-xctest --skip "$integration"
say "tests with a broker, a database and worker processes"
swift test --skip-build --disable-xctest --no-parallel --filter "$integration"
