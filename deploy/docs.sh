#!/usr/bin/env bash
# Builds the documentation of the core library into .build/docs/AppAttest.doccarchive, offline.
# A dead link ends it with an error.
set -euo pipefail

cd "$(dirname "$0")/.."
scratch="$PWD/.build/docs"
graphs="$scratch/symbol-graphs"
# Symbol graphs are written by the compiler only when it runs.
rm -rf "$graphs" "$scratch"/*/debug/AppAttest.build
mkdir -p "$graphs"
swift build --target AppAttest --scratch-path "$scratch" \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
# One catalogue, one module: of LibCrypto only what AppAttest hands out is of interest.
rm -f "$graphs"/LibCrypto*.json
docc convert Sources/AppAttest/AppAttest.docc --analyze --warnings-as-errors \
    --fallback-display-name AppAttest --fallback-bundle-identifier attest.AppAttest \
    --additional-symbol-graph-dir "$graphs" --output-path "$scratch/AppAttest.doccarchive"
