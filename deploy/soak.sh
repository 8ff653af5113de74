#!/usr/bin/env bash
# Soaks real workers in faults: several processes over a broker process and a database server, under
# load, while workers are killed, frozen and replaced, connections cut, the database restarted and
# so on at random moments. One oracle judges what comes of it; ends with 0 when it found nothing.
#
#   deploy/soak.sh --minutes 60 --seed 7 [--rate 40] [--faults kill,freeze] [--workers 3] [--window 8] [--keep]
#
# --help tells all kinds of faults. ATTEST_SOAK_MINUTES is the time where --minutes is not given.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

deploy/install-dependencies.sh
find_swift
for product in attest-worker MockBroker Soak; do
    swift build --product "$product"
done
exec "$(swift build --show-bin-path)/Soak" --minutes "${ATTEST_SOAK_MINUTES:-5}" "$@"
