#!/usr/bin/env bash
# Prints every table of PERFORMANCE.md, each figure beside its limit, taken in the same run; JSON goes
# to .build/benchmarks. Installs what is missing and builds. Half an hour, 15 GiB on the disk, and
# nothing else should run: the last takes longest, and --quick takes a tenth of its ten million keys.
#
#   Benchmarks/run.sh [--quick]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

growth=10000000
case "${1-}" in
    "") ;;
    --quick) growth=1000000 ;;
    *) die "run.sh takes nothing but --quick, not $1" ;;
esac

deploy/install-dependencies.sh
find_swift
swift build -c release
python="$PWD/.build/baseline/bin/python"
if ! cmp -s Benchmarks/Baseline/requirements.txt .build/baseline/installed.txt; then
    rm -rf .build/baseline
    /usr/bin/python3 -m venv .build/baseline
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        --requirement Benchmarks/Baseline/requirements.txt
    cp Benchmarks/Baseline/requirements.txt .build/baseline/installed.txt
fi
results=.build/benchmarks
mkdir -p "$results"
worker() {
    local name="$1"
    shift
    say "$name"
    .build/release/worker-benchmark --json "$results/$name.json" "$@"
}

say "core"
# It ends with 1 where a target is missed: the table says which.
.build/release/core-benchmark --json "$results/core.json" || [ $? = 1 ]
worker worker backlog latency process --lanes 1,2,4 --batches 50,200,500,1000
worker skewed backlog --skew zipf
worker baseline baseline --python "$python"
worker store store
worker scale scale --partitions 4,16,64
worker rebalance rebalance
worker growth growth --growth "$growth"
say "instructions"
Benchmarks/instructions.sh
