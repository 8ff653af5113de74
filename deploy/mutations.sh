#!/usr/bin/env bash
# Takes the protections away one by one, and demands that a test fails for each.
#
#   deploy/mutations.sh            every patch in Tests/Mutations, in a copy: a build, then a quarter of an hour
#   deploy/mutations.sh 03 12      those alone
#   deploy/mutations.sh --check    only that each applies, names a test that exists, and is in docs
#
# A patch begins with what it takes away and "Caught by: SUITE: NAME OF THE TEST".
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

# The protection that a patch takes away; the suite and the test that catch it.
protection() { head -n 1 "$1"; }
suite() { sed -n 's/^Caught by: \([A-Za-z]*\): .*/\1/p' "$1"; }
test_name() { sed -n 's/^Caught by: [A-Za-z]*: //p' "$1"; }

check() {
    local patch file name broken=0
    for patch in Tests/Mutations/*.patch; do
        name="$(basename "$patch" .patch)"
        git apply --check "$patch" || { echo "$name does not apply: make it anew" >&2; broken=1; }
        file="$(find Tests -name "$(suite "$patch").swift")"
        if [ -z "$file" ] || ! grep -qF "func \`$(test_name "$patch")\`" "$file"; then
            echo "$name names a test that is not there" >&2
            broken=1
        fi
        if ! grep -qF "| $name | $(protection "$patch") | \`$(suite "$patch")\`: \"$(test_name "$patch")\" |" docs/mutations.md; then
            echo "docs/mutations.md has no line of $name, or another one" >&2
            broken=1
        fi
    done
    [ "$broken" = 0 ] || die "the patches in Tests/Mutations and docs/mutations.md must follow the code"
}

check
if [ "${1-}" = --check ]; then exit 0; fi
find_swift

copy=.build/mutations
mkdir -p "$copy/source"
say "the unchanged tests, in $copy"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$copy/source"
build() { swift build --build-tests --package-path "$copy/source" --scratch-path "$copy/scratch" >"$copy/build.log" 2>&1; }
run() { # Runs one test by suite and name; its output is in test.log.
    swift test --skip-build --disable-xctest --package-path "$copy/source" --scratch-path "$copy/scratch" \
        --filter "$1/.*$2" >"$copy/test.log" 2>&1
}
build || die "the copy does not build: see $copy/build.log"

survivors=0
for patch in Tests/Mutations/*.patch; do
    name="$(basename "$patch" .patch)"
    if [ "$#" -gt 0 ] && [[ " $* " != *" ${name%%-*} "* ]]; then continue; fi
    (cd "$copy/source" && patch -s -p1) <"$patch"
    if ! build; then
        result="DOES NOT BUILD: see $copy/build.log"
        cp "$copy/build.log" "$copy/$name.log"
        survivors=$((survivors + 1))
    elif run "$(suite "$patch")" "$(test_name "$patch")"; then
        result=SURVIVES
        survivors=$((survivors + 1))
    elif grep -q "^✘ Test \"$(test_name "$patch")\"" "$copy/test.log"; then
        result=caught
    else
        result="FAILS ELSEWHERE: see $copy/$name.log"
        cp "$copy/test.log" "$copy/$name.log"
        survivors=$((survivors + 1))
    fi
    (cd "$copy/source" && patch -s -R -p1) <"$patch"
    echo "$name: $result by $(suite "$patch"): $(test_name "$patch")"
done
[ "$survivors" = 0 ] || die "$survivors of the protections can be taken away unseen"
