#!/bin/bash
# Measures the peak of a worker's memory against worker.memoryBudget: 100 partitions of 1 MiB requests
# on a cluster of three mock brokers, all of them decided.
#
#   Benchmarks/memory.sh [ROUNDS [BUDGET IN MiB [LANES]]]
#
# A round is 100 requests. Needs a build with tests (swift build --build-tests); 4 GiB of RAM.
set -euo pipefail
cd "$(dirname "$0")/.."
export ATTEST_MEMORY_ROUNDS="${1:-10}" ATTEST_MEMORY_BUDGET_MIB="${2:-64}" ATTEST_MEMORY_LANES="${3:-1}"
swift test --skip-build --disable-xctest --filter 'EndToEndTests.MemoryTests' | grep -E '^memory:|^[✔✘]'
