#!/usr/bin/env bash
# Installs the Debian packages that building, testing and the demo need and that are missing.
# Runs as root or as a user with sudo; when all is there it neither needs nor asks for either.
#
#   deploy/install-dependencies.sh [--build]     # only what building needs
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh

build_packages=(
    # What the Swift toolchain itself loads, and what it links programs with.
    ca-certificates git g++ libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2 tzdata zlib1g-dev
    # The C libraries and how the build finds them; libcurl sends spans to a collector.
    pkg-config librdkafka-dev libssl-dev libpq-dev libmicrohttpd-dev
    libcurl4-openssl-dev
)
packages=(
    "${build_packages[@]}"
    # Reads the metrics as another program would.
    python3-prometheus-client
    # Looking into topics by hand; checking messages against the schemas.
    kcat python3 python3-jsonschema python3-yaml
    # Counts instructions: a slow-down is seen without a clock.
    valgrind
    # Verifying tokens as services do that take them.
    python3-cryptography python3-jwt
    # The lines that the gateway's demo shows, and its keys.
    curl openssl
    # The second verifier's Python packages, which Debian has in other versions.
    python3-venv
)

only=all
case "${1-}" in
    "") ;;
    --build)
        only=build
        packages=("${build_packages[@]}")
        ;;
    *) die "install-dependencies.sh takes nothing but --build, not $1" ;;
esac

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

has_postgresql_server() {
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

command -v dpkg-query >/dev/null || die "this needs Debian 12 or newer (there is no dpkg here)"
missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
needs_server=no
[ "$only" = build ] || has_postgresql_server || needs_server=yes
if [ "${#missing[@]}" -eq 0 ] && [ "$needs_server" = no ]; then exit 0; fi

say "installing: ${missing[*]-}$([ "$needs_server" = no ] || echo ' postgresql')"
if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null; then
    as_root=(sudo)
else
    die "these packages are missing; run this script as root, or install sudo"
fi
apt_get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"
}

apt_get update
[ "${#missing[@]}" -eq 0 ] || apt_get install --no-install-recommends "${missing[@]}"
if [ "$needs_server" = yes ]; then
    # Tests and demo make servers of their own in temporary folders. The one that the package would
    # make and start is not wanted: this setting, for the time of the installation, prevents it.
    drop_in=/etc/postgresql-common/createcluster.d/attest-worker.conf
    "${as_root[@]}" mkdir -p "$(dirname "$drop_in")"
    echo 'create_main_cluster = false' | "${as_root[@]}" tee "$drop_in" >/dev/null
    trap '"${as_root[@]}" rm -f "$drop_in"' EXIT
    server=postgresql
    if apt-cache show postgresql-15 >/dev/null 2>&1; then server=postgresql-15; fi
    apt_get install --no-install-recommends "$server"
fi
