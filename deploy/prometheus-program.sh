#!/usr/bin/env bash
# Puts prometheus and promtool into .build/deploy/prometheus, out of Debian's package, which would
# start a service if it was installed. Ends with 0 when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=.build/deploy
program="$tools/prometheus/usr/bin/prometheus"
[ -x "$program" ] && exit 0
rm -rf "$tools/package" && mkdir -p "$tools/package"
if [ "$(id -u)" -eq 0 ]; then chown _apt "$tools/package" 2>/dev/null || true; fi
if (cd "$tools/package" &&
    { timeout 120 apt-get -qq download prometheus 2>/dev/null || {
        [ "$(id -u)" -eq 0 ] && timeout 120 apt-get -qq update >/dev/null &&
            timeout 120 apt-get -qq download prometheus
    }; }); then
    dpkg-deb -x "$tools"/package/prometheus_*.deb "$tools/prometheus"
fi
rm -rf "$tools/package"
[ -x "$program" ]
