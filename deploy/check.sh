#!/usr/bin/env bash
# Checks all that is in deploy/ and RUNBOOK.md, as far as it can be checked without a cluster: see
# check.py and, when the program is built, try-dashboard.py. Gets what Debian and PyPI have for it
# into .build/deploy, without installing anything; what can't be had is said and skipped. Ends with
# 0 when nothing is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

tools=.build/deploy
mkdir -p "$tools"

# promtool and prometheus; without them their checks are skipped, and said so.
deploy/prometheus-program.sh || true

# Kubernetes' own schemas, and that of compose files: the last docker-compose in Python carries it.
requirements=deploy/checks/requirements.txt
if ! cmp -s "$requirements" "$tools/python/installed.txt"; then
    rm -rf "$tools/python"
    if /usr/bin/python3 -m venv "$tools/python" >/dev/null 2>&1 &&
        timeout 180 "$tools/python/bin/pip" install --quiet \
            --disable-pip-version-check --no-compile \
            --only-binary :all: --requirement "$requirements" >/dev/null 2>&1 &&
        timeout 60 "$tools/python/bin/pip" install --quiet \
            --disable-pip-version-check --no-compile \
            --only-binary :all: --no-deps docker-compose==1.29.2 >/dev/null 2>&1; then
        cp "$requirements" "$tools/python/installed.txt"
    fi
fi

export PYTHONDONTWRITEBYTECODE=1
(cd deploy && /usr/bin/python3 -m unittest --quiet checks.test_checks)
find_swift
program="$(swift build --show-bin-path)/attest-worker"
if [ ! -x "$program" ]; then
    exec /usr/bin/python3 deploy/check.py --tools "$tools"
fi
/usr/bin/python3 deploy/check.py --tools "$tools" --program "$program"
if [ -x "$tools/prometheus/usr/bin/prometheus" ]; then
    /usr/bin/python3 deploy/try-dashboard.py "$program" "$tools/prometheus/usr/bin/prometheus" 15
else
    say "SKIPPED: the dashboard's queries: Debian's package of Prometheus can't be had"
fi
