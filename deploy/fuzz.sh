#!/usr/bin/env bash
# Fuzzes every parser for a number of seconds each (60 unless told), starting from the recorded
# vectors and from what earlier runs found worth keeping (.build/fuzz/corpus). Ends with 0 when
# nothing was found; otherwise the input lies in .build/fuzz/findings.
#
#   deploy/fuzz.sh [SECONDS] [TARGET...]
set -euo pipefail

cd "$(dirname "$0")/.."
seconds="${1:-60}"
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for folder in Tests/Fuzz/Fuzz*/; do
        name="$(basename "$folder")"
        [ "$name" = FuzzDriver ] || targets+=("$name")
    done
fi

scratch="$PWD/.build/fuzz"
findings="$scratch/findings"
mkdir -p "$findings"
# Leaks are looked for when a target ends; looking after each input would take ten times as long.
# Foundation keeps pointers in tagged words, which the leak checker takes for leaks.
echo "leak:FoundationEssentials" > "$scratch/leaks.txt"
export LSAN_OPTIONS="suppressions=$scratch/leaks.txt:print_suppressions=0"
export FUZZ=1
for target in "${targets[@]}"; do
    swift build --configuration release --scratch-path "$scratch" --product "$target"
    echo "== $target for $seconds s"
    # The largest object is 16 KiB; one byte more must be refused, not read.
    "$scratch/release/$target" "$scratch/corpus/$target" -max_total_time="$seconds" -max_len=16385 -timeout=5 \
        -rss_limit_mb=2048 -detect_leaks=0 -artifact_prefix="$findings/$target-" \
        -print_final_stats=1
done
echo "nothing was found in ${#targets[@]} targets"
