#!/usr/bin/env bash
# Runs deploy/demo.sh in a Debian that has nothing but its minimal base, first as root and then, in a
# second one, as a user with sudo: a machine that already has packages hides missing install steps.
# The Swift toolchain is this machine's, mounted read-only. Needs root, debootstrap, and about
# 5 GB in .build/fresh-machine, which it deletes again. By hand; takes a quarter of an hour.
#
#   deploy/fresh-machine.sh [root | user]...
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh
# shellcheck source=deploy/clean-debian.sh
. deploy/clean-debian.sh

find_swift
toolchain="$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")"
work=.build/fresh-machine
for who in "${@:-root user}"; do
    for role in $who; do
        rm -rf "$work" && mkdir -p "$work/tree/home/source"
        make_debian "$work/tree"
        git ls-files -z | tar --null -T - -cf - | tar -C "$work/tree/home/source" -xf -
        case "$role" in
            root) start=(bash) ;;
            user)
                BIND="" in_debian "$work/tree" bash -euc '
                    apt-get -qq update
                    apt-get -qq install -y --no-install-recommends sudo >/dev/null
                    useradd --create-home --shell /bin/bash tester
                    echo "tester ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/tester
                    chown -R tester: /home/source'
                start=(su - tester -c)
                ;;
            *) die "neither root nor user: $role" ;;
        esac
        say "demo.sh as $role in a minimal Debian"
        [ "$role" = user ] || start+=(-c)
        SECONDS=0
        BIND="$toolchain:/opt/swift" in_debian "$work/tree" "${start[@]}" /home/source/deploy/demo.sh
        say "demo.sh as $role: ended with 0 after $SECONDS s"
        rm -rf "$work"
    done
done
