#!/usr/bin/env bash
# Installs the Debian package in a clean Debian, boots that Debian's own systemd in namespaces of its
# own, and sees whether the service does what its unit says: ready, watched, restarted or not,
# reloaded, confined and still at work. Needs root, debootstrap, and a program to embed a broker and
# a database with; by hand, five minutes.
#
#   deploy/debian/try-package.sh .build/debian/attest-worker_VERSION_ARCH.deb PROGRAM
set -euo pipefail
package="$(readlink -f "$1")" program="$(readlink -f "$2")"
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh
# shellcheck source=deploy/clean-debian.sh
. deploy/clean-debian.sh

work="$PWD/.build/try-package"
tree="$work/tree"
rm -rf "$work" && mkdir -p "$work"
make_debian "$tree"
cp "$package" "$tree/root/attest-worker.deb"
say "install"
BIND="" in_debian "$tree" sh -euc '
    apt-get -qq update
    apt-get -qq install -y --no-install-recommends systemd dbus /root/attest-worker.deb >/dev/null
    getent passwd attest-worker
    attest-worker --version
    dpkg --verify attest-worker'

# A control group and namespaces of its own for the systemd in the tree; the network is this
# machine's, so that it reaches the broker on loopback.
boot() {
    mkdir -p "$work/cgroup"
    unshare --mount --propagation private bash -euc '
        mount -t cgroup2 none "$1/cgroup"
        mkdir -p "$1/cgroup/attest-try"
        echo $$ >"$1/cgroup/attest-try/cgroup.procs"
        exec unshare --cgroup --mount --pid --fork --kill-child --uts --ipc \
            --propagation private bash -euc "
            mount --bind \"\$1\" \"\$1\" && cd \"\$1\"
            mount -t proc proc proc
            mount --rbind /sys sys
            mount -t tmpfs none sys/fs/cgroup && mount -t cgroup2 none sys/fs/cgroup
            mount -t tmpfs -o mode=755 none run
            mount -t tmpfs none tmp
            mount -t tmpfs -o mode=755 none dev
            for name in null zero full random urandom tty; do
                touch dev/\$name && mount --bind /dev/\$name dev/\$name
            done
            mkdir dev/pts dev/shm
            mount -t devpts -o newinstance,ptmxmode=0666 none dev/pts
            ln -s pts/ptmx dev/ptmx && ln -s /proc/self/fd dev/fd
            hostname attest-try
            # Not chroot: a process in one may not make the user namespace that the unit asks for.
            mkdir -p .old && pivot_root . .old && cd /
            exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c \
                \"umount -l /.old && mount --make-rshared / &&
                exec /lib/systemd/systemd systemd.unit=multi-user.target\"
        " bash "$1/tree"
    ' bash "$work" </dev/null >"$work/boot.log" 2>&1 &
    outer=$!
}

inside() {
    nsenter -t "$init" -m -p -C -u -i -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
# Starts the service; where that fails, says what its log says.
start() {
    inside systemctl start attest-worker && return 0
    inside systemctl status attest-worker --no-pager -n 20 || true
    die "it did not start"
}
show() { inside systemctl show attest-worker -p "$1" --value; }
# Waits for a property of the unit to be as told.
await() {
    local turn
    for turn in $(seq 1 "${3:-60}"); do
        [ "$(show "$1")" != "$2" ] || return 0
        sleep 1
    done
    inside journalctl -u attest-worker --no-pager -n 20 || true
    die "$1 is $(show "$1") after $turn s, not $2"
}
expect() {
    local found
    found="$(show "$1")"
    [ "$found" = "$2" ] || die "$1 is $found, not $2"
    echo "ok: $1 is $2"
}

say "boot"
boot
# unshare turns a deaf ear to SIGTERM; its end is that of all in its namespaces.
trap 'kill -KILL "$outer" 2>/dev/null; kill ${embedded:-} ${holder:-} 2>/dev/null || true' EXIT
for _ in $(seq 1 60); do
    init="$(pgrep -P "$(pgrep -P "$outer" -f 'unshare --cgroup' || echo "$outer")" -f systemd || true)"
    if [ -n "$init" ] && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'
    then break; fi
    sleep 1
done
inside systemctl is-system-running

settings="$tree/etc/attest-worker/attest.json5"
cp "$settings" "$work/shipped.json5"
say "settings that are wrong: 78, and no second try"
echo '{ kafka: { bootstrap: 1 } }' >"$settings"
if inside systemctl start attest-worker; then die "it started"; fi
sleep 8
expect ExecMainStatus 78
expect NRestarts 0

say "broker and database away: ready all the same, with a password from a credential"
sed -e 's/kafka.example.com:9092/127.0.0.1:1/; s/host=db.example.com/host=127.0.0.1 port=1/' \
    "$work/shipped.json5" >"$settings"
printf secret >"$tree/etc/attest-worker/postgres-password"
chmod 600 "$tree/etc/attest-worker/postgres-password"
mkdir -p "$tree/etc/systemd/system/attest-worker.service.d"
printf '[Service]\nLoadCredential=postgres-password:/etc/attest-worker/postgres-password\n' \
    >"$tree/etc/systemd/system/attest-worker.service.d/password.conf"
echo ATTEST_POSTGRES__PASSWORD_FILE=/run/credentials/attest-worker.service/postgres-password \
    >>"$tree/etc/default/attest-worker"
inside systemctl daemon-reload
inside systemctl reset-failed attest-worker
start
expect ActiveState active
expect User attest-worker
inside attest-worker health
if inside attest-worker health --ready; then die "ready without a database"; fi

say "killed: started again"
inside systemctl kill -s KILL attest-worker
await NRestarts 1
await ActiveState active

say "reload"
main="$(show MainPID)"
inside systemctl reload attest-worker
await ActiveState active
expect MainPID "$main"

say "hung: ended by the watchdog, and started again"
inside systemctl kill -s STOP attest-worker
await NRestarts 2 90
await ActiveState active

say "stop"
inside systemctl stop attest-worker
expect Result success
expect ActiveState inactive

say "confined, and at work: broker and database on loopback"
mkfifo "$work/parent"
sleep 600 >"$work/parent" &
holder=$!
"$program" run --embedded --operations.listen=127.0.0.1:0 <"$work/parent" \
    >"$work/embedded.json" 2>"$work/embedded.log" &
embedded=$!
for _ in $(seq 1 90); do [ ! -s "$work/embedded.json" ] || break; sleep 1; done
/usr/bin/python3 - "$work/embedded.json" "$tree/etc/attest-worker" <<'PYTHON'
import json, pathlib, sys
told = json.load(open(sys.argv[1]))
app = told["simulatedApp"]
folder = pathlib.Path(sys.argv[2])
(folder / "root.pem").write_text(app["trustAnchor"])
(folder / "attest.json5").write_text(json.dumps({
    "kafka": {"bootstrapServers": [told["bootstrapServers"]], "groupId": "packaged"},
    "postgres": {"connection": told["postgresURI"]},
    "worker": {"lanes": 1},
    "apps": [{"appId": app["appId"], "simulated": True,
              "trustAnchorFile": "/etc/attest-worker/root.pem"}]}))
PYTHON
sed -i /PASSWORD_FILE/d "$tree/etc/default/attest-worker"
start
for _ in $(seq 1 60); do inside attest-worker health --ready >/dev/null && break; sleep 1; done
inside attest-worker health --ready
inside attest-worker simulate --once --app-id=SIMULATED1.com.example.app --seed=1 --insecure-seed \
    --config=/etc/attest-worker/attest.json5
kill "$embedded" && unset embedded
inside systemctl stop attest-worker
expect Result success

say "purge"
inside env DEBIAN_FRONTEND=noninteractive dpkg --purge attest-worker
[ ! -e "$tree/lib/systemd/system/attest-worker.service" ] || die "the unit is still there"
say "all as it should be"
