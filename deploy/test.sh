#!/usr/bin/env bash
# Every check there is: installs what is missing, then lint, build, a soak of five minutes with the
# shorter checks beside it, and last the tests, whose own summary ends the output. Ends with 0 only
# if all passed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

deploy/install-dependencies.sh
find_swift
say "toolchain: $(swift --version 2>/dev/null | head -n 1)"

say "lint"
swift format lint --strict --recursive Benchmarks Sources Tests Package.swift
for script in deploy/*.sh deploy/*/*.sh .ci/run; do bash -n "$script"; done
deploy/mutations.sh --check

say "build, warnings are errors"
swift build --build-tests

# Most of what waits does so for others, not for a core: the soak goes on beside what follows.
# A new seed each time, and it is printed. ATTEST_SOAK_MINUTES makes it longer or shorter.
say "workers under load and faults, beside what follows"
beside soak deploy/soak.sh

say "Python packages of the second verifier"
deploy/python-environment.sh || say "they can't be had: its test will be skipped"

say "instructions that an object costs"
Benchmarks/instructions.sh

say "clients in other languages"
deploy/test-clients.sh

say "what is shipped for operators"
deploy/check.sh

say "documentation"
deploy/docs.sh

say "tests against a broker that is no mock"
deploy/test-broker.sh

say "fuzz, a short run"
deploy/fuzz.sh 5

say "sanitizers"
deploy/sanitize.sh

say "what the soak found"
join soak

# Those that start servers and processes come second, in two halves: each half one after the other,
# as beside more of them two cores would be too few for their time limits.
integration='EndToEndTests|HTTPClientTests|KafkaTransportTests|PostgresStoreTests|TraceExportTests'
half='EndToEndTests.(CrashTests|KafkaLoginTests|LostCommitsTests|OperationsTests|StopTests|ToolTests)'
say "tests, first those that need no server"
swift test --skip-build --disable-xctest --skip "$integration"
say "tests with a broker, a database and worker processes, in two halves"
beside half swift test --ignore-lock --skip-build --disable-xctest --no-parallel --filter "$half"
swift test --ignore-lock --skip-build --disable-xctest --no-parallel \
    --filter "$integration" --skip "$half"
say "the other half"
join half
