#!/usr/bin/env bash
# Builds the documentation of the two library products and of the worker from the sources' comments
# and catalogues, into .build/docs. A link that leads nowhere ends it with an error.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

find_swift
docc="$(dirname "$(readlink -f "$(command -v swift)")")/docc"
[ -x "$docc" ] || die "there is no docc beside $(command -v swift)"

# docc copies its pages' frame with the owner of the original, which only root may do; of a copy that
# is ours, anyone may.
export DOCC_HTML_DIR="$PWD/.build/docs/render"
rm -rf "$DOCC_HTML_DIR" && mkdir -p "$(dirname "$DOCC_HTML_DIR")"
cp -r "$(dirname "$docc")/../share/docc/render" "$DOCC_HTML_DIR"

graphs="$(swift build --show-bin-path)/../symbolgraph"
document() {
    local module="$1" inputs=".build/docs/$1.symbols"
    rm -rf "$inputs" && mkdir -p "$inputs"
    cp "$graphs/$module".symbols.json "$inputs"
    say "documentation of $module"
    "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$inputs" \
        --fallback-display-name "$module" --fallback-bundle-identifier "attest-worker.$module" \
        --warnings-as-errors --output-path ".build/docs/$module.doccarchive"
}

# Of the libraries, what an embedder sees; of the worker, what the package's other parts see.
swift package dump-symbol-graph --minimum-access-level public >/dev/null
document AppAttest
document AttestTestKit
swift package dump-symbol-graph --minimum-access-level package >/dev/null
document Worker
