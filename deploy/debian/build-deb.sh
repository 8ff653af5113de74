#!/usr/bin/env bash
# Makes a Debian package of the worker for this machine's architecture: the program, its unit, an
# example of its settings, its manual. Builds the program first, unless told where one is.
#
#   deploy/debian/build-deb.sh [PROGRAM]        # writes .build/debian/attest-worker_VERSION_ARCH.deb
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

command -v dpkg-shlibdeps >/dev/null || die "install dpkg-dev first"
program="${1-}"
if [ -z "$program" ]; then
    deploy/install-dependencies.sh --build
    find_swift
    swift build -c release --static-swift-stdlib --product attest-worker
    program="$(swift build -c release --static-swift-stdlib --show-bin-path)/attest-worker"
fi
[ -x "$program" ] || die "no program at $program"
program="$(readlink -f "$program")"
version="$("$program" --version | cut -d' ' -f2)"
architecture="$(dpkg --print-architecture)"
# Whom Debian's tools write to; whoever builds packages for others names themselves.
maintainer="${MAINTAINER:-The authors of attest-worker <attest-worker@example.org>}"

work=.build/debian
tree="$work/tree"
rm -rf "$tree" && mkdir -p "$tree/DEBIAN"
place() { install -D -m "$1" "$2" "$tree/$3"; }

say "attest-worker $version for $architecture"
place 755 "$program" usr/bin/attest-worker
strip --strip-unneeded --remove-section=.comment --remove-section=.note \
    "$tree/usr/bin/attest-worker"
place 644 deploy/systemd/attest-worker.service lib/systemd/system/attest-worker.service
place 644 deploy/systemd/attest-gateway.service lib/systemd/system/attest-gateway.service
place 644 deploy/debian/sysusers.conf usr/lib/sysusers.d/attest-worker.conf
place 644 deploy/debian/attest.json5 etc/attest-worker/attest.json5
place 644 deploy/debian/default etc/default/attest-worker
documents="usr/share/doc/attest-worker"
for file in RUNBOOK.md docs/settings.md docs/metrics.md schemas/roles.sql; do
    place 644 "$file" "$documents/$(basename "$file")"
done
place 644 deploy/grafana/dashboard.json "$documents/examples/dashboard.json"
place 644 deploy/prometheus/rules.yaml "$documents/examples/rules.yaml"
place 644 deploy/debian/copyright "$documents/copyright"
date="$(git log -1 --format=%cD 2>/dev/null || date -R)"
{
    printf 'attest-worker (%s) unstable; urgency=medium\n\n  * Built from source.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$date"
} | gzip -9n >"$work/changelog.gz"
place 644 "$work/changelog.gz" "$documents/changelog.gz"
deploy/debian/manual.sh "$program" | gzip -9n >"$work/manual.gz"
place 644 "$work/manual.gz" usr/share/man/man1/attest-worker.1.gz

# What the program is linked with, by the packages that are installed here.
mkdir -p "$work/shlibs/debian" && printf 'Source: attest-worker\n' >"$work/shlibs/debian/control"
libraries="$(cd "$work/shlibs" && dpkg-shlibdeps -O -e"$OLDPWD/$tree/usr/bin/attest-worker" |
    sed -n 's/^shlibs:Depends=//p')"
[ -n "$libraries" ] || die "dpkg-shlibdeps found no libraries"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@LIBRARIES@/$libraries/" -e "s/@MAINTAINER@/$maintainer/" \
    -e "s/@SIZE@/$(du -sk --exclude=DEBIAN "$tree" | cut -f1)/" \
    deploy/debian/control.in >"$tree/DEBIAN/control"
printf '/etc/attest-worker/attest.json5\n/etc/default/attest-worker\n' >"$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do place 755 "deploy/debian/$script" "DEBIAN/$script"; done
(cd "$tree" && find usr lib etc -type f ! -path 'etc/*' -print0 | sort -z | xargs -0 md5sum) \
    >"$tree/DEBIAN/md5sums"
chmod 644 "$tree"/DEBIAN/{control,conffiles,md5sums}

package="$work/attest-worker_${version}_$architecture.deb"
dpkg-deb --root-owner-group --build "$tree" "$package"
