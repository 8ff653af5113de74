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
