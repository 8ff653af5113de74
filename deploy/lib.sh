# Shared by the scripts beside it; to be sourced by bash.

# Says something about what is being done.
say() { printf '\n==> %s\n' "$*"; }

# Says what is wrong and ends the script.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Puts a Swift toolchain of at least 6.2 on PATH, or tells where to get one.
find_swift() {
    local place
    for place in "" /opt/swift/usr/bin "${HOME:-/root}/.local/share/swiftly/bin" "${HOME:-/root}/.local/bin" \
        "${HOME:-/root}/.swiftly/bin" /usr/libexec/swift/usr/bin /usr/local/swift/usr/bin; do
        if [ -x "${place:-/nonexistent}/swift" ]; then PATH="$place:$PATH"; fi
        if command -v swift >/dev/null 2>&1; then break; fi
    done
    command -v swift >/dev/null 2>&1 ||
        die "no Swift toolchain on PATH or in /opt/swift; get 6.3 for Debian 12 from swift.org/install"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
    case "$version" in
        6.[2-9] | 6.[1-9][0-9] | [7-9].* | [1-9][0-9].*) ;;
        *) die "Swift ${version:-of unknown version} at $(command -v swift) is too old: 6.2 or newer is needed" ;;
    esac
    export PATH
}

# Starts a command beside what follows; what it prints is kept until `join NAME`. It ends with the
# script, however that ends.
#
#   beside NAME COMMAND...
declare -A beside_process=()
beside() {
    local name="$1"
    shift
    if [ -z "${beside_folder:-}" ]; then
        beside_folder="$(mktemp -d)"
        trap end_beside EXIT
    fi
    # A group of its own, so that what it starts can be ended with it.
    setsid "$@" >"$beside_folder/$name" 2>&1 </dev/null &
    beside_process[$name]=$!
}

# Waits for a command started by `beside`, prints what it printed, and ends as it ended.
join() {
    local status=0
    wait "${beside_process[$1]}" || status=$?
    unset "beside_process[$1]"
    cat "$beside_folder/$1"
    return "$status"
}

end_beside() {
    local process
    for process in "${beside_process[@]}"; do kill -TERM -- "-$process" 2>/dev/null || true; done
    rm -rf "$beside_folder"
}
