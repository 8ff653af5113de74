# A clean Debian in a folder, to find out what a machine that has nothing really lacks; to be
# sourced by bash after lib.sh. Needs root and the packages debootstrap and util-linux.

# Makes the tree $1 of Debian 12 with what debootstrap calls its minimal base, and nothing else.
# It is made once and kept as an archive in .build/clean-debian: the download takes minutes.
make_debian() {
    local tree="$1" base=.build/clean-debian mirror
    [ "$(id -u)" -eq 0 ] || die "a clean Debian is made with chroot, which only root may do"
    command -v debootstrap >/dev/null || die "install debootstrap first"
    # Where this machine has its own packages from.
    mirror="$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
        awk '$2 == "bookworm" { print $1; exit }')"
    [ -n "$mirror" ] || die "this machine's apt knows no mirror of Debian 12"
    if [ ! -e "$base/base.tar" ]; then
        rm -rf "$base" && mkdir -p "$base"
        say "debootstrap, the minimal base of Debian 12"
        debootstrap --variant=minbase bookworm "$base/tree" "$mirror" >"$base/debootstrap.log" ||
            die "debootstrap failed: $base/debootstrap.log"
        tar -C "$base/tree" -cf "$base/base.tar.part" . && rm -rf "$base/tree"
        mv "$base/base.tar.part" "$base/base.tar"
    fi
    mkdir -p "$tree"
    tar -C "$tree" -xf "$base/base.tar"
    apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep -E ' bookworm(-updates|-security)? main$' | sort -u >"$tree/etc/apt/sources.list"
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    # The tree is thrown away: nothing in it need survive a power cut.
    echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/unsafe-io"
    # No service may be started in it, whatever is installed.
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
}

# Runs a command in the tree $1, with /proc, /dev and, read-only, the folders of the list BIND (each
# as FROM:TO). The mounts are in a namespace of their own and vanish with it, as do all processes.
in_debian() {
    local tree="$1"
    shift
    BIND="${BIND-}" TREE="$tree" unshare --mount --pid --fork --kill-child \
        --propagation private bash -c '
        set -euo pipefail
        mount -t proc proc "$TREE/proc"
        mount --bind /dev "$TREE/dev"
        for pair in $BIND; do
            mkdir -p "$TREE/${pair#*:}"
            mount --bind "${pair%%:*}" "$TREE/${pair#*:}"
            mount -o remount,bind,ro "$TREE/${pair#*:}"
        done
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$TREE" "$@"
    ' bash "$@"
}
