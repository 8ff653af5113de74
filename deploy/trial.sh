#!/usr/bin/env bash
# The operator's trial: three workers against PostgreSQL and a broker, one thing after the other
# broken and mended, and what probes, metrics, logs and alerts told of it, as a table of seconds.
# docs/fleet-trial.md tells how to do the same by hand. Ends with 0 when all told the truth.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

deploy/install-dependencies.sh
find_swift
deploy/prometheus-program.sh ||
    say "Debian's Prometheus can't be had: the alerts are left out"
swift build --build-tests
exec swift test --skip-build --disable-xctest --no-parallel --filter FleetTrialTests
