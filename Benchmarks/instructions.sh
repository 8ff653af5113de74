#!/usr/bin/env bash
# Counts the instructions of one assertion and one attestation with callgrind, and ends with 1 when
# they are more than Benchmarks/instructions.json has, and a margin: a slow-down is seen without a
# clock, however noisy the machine.
#
#   Benchmarks/instructions.sh [--write]     # --write makes what was counted the new figures
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

few=20 many=60
command -v valgrind >/dev/null || die "valgrind is missing: deploy/install-dependencies.sh"
find_swift
scratch="$PWD/.build/instructions"
swift build -c release --product core-benchmark --scratch-path "$scratch"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
# valgrind can't read the debug information of Swift's compiler.
strip -g -o "$folder/core-benchmark" "$scratch/release/core-benchmark"
mkdir "$folder/counts"

python3 - Benchmarks/instructions.json <<'PYTHON' | while IFS=$'\t' read -r name subject; do
import json, sys
for figure in json.load(open(sys.argv[1])):
    print(figure["name"], figure["subject"], sep="\t")
PYTHON
    for times in $few $many; do
        SWIFT_DETERMINISTIC_HASHING=1 valgrind -q --tool=callgrind \
            --callgrind-out-file="$folder/counts/$name.$times" \
            "$folder/core-benchmark" --only "$subject" --times $times </dev/null
    done
done
Benchmarks/instructions.py "$folder/counts" "$@"
