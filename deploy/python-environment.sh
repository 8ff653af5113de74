#!/usr/bin/env bash
# Makes the Python that the second verifier of Tests/Differential runs on: a virtual environment in
# .build, with the packages of its requirements.txt. Does nothing when it is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/Differential/requirements.txt
folder=.build/differential
# Copied when all is installed: what is half made is made anew.
if cmp -s "$requirements" "$folder/installed.txt"; then exit 0; fi

rm -rf "$folder"
mkdir -p .build
# Debian's own Python: the package python3-venv is of its version.
/usr/bin/python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    --requirement "$requirements"
cp "$requirements" "$folder/installed.txt"
