#!/usr/bin/env bash
# Installs the second broker of the tests, noida-db from PyPI, into a virtual environment in .build.
# Does nothing when it is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.2.3
folder=.build/noida
# Written when all is installed: what is half made is made anew.
if [ "$(cat "$folder/installed.txt" 2>/dev/null)" = "$version" ]; then exit 0; fi

rm -rf "$folder"
mkdir -p .build
/usr/bin/python3 -m venv "$folder"
timeout 120 "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    "noida-db==$version"
echo "$version" >"$folder/installed.txt"
