#!/usr/bin/env bash
# Does the steps of deploy/Dockerfile in clean Debian trees, without a container engine, and proves
# that the image's program starts with nothing but what the image has. Reads the Dockerfile itself,
# so that the two can't drift apart; the Swift image is a Debian with this machine's toolchain.
# Needs root, debootstrap, a few GB in .build/image; by hand, a quarter of an hour.
#
#   deploy/image-steps.sh            # leaves the image's tree in .build/image/runtime
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh
# shellcheck source=deploy/clean-debian.sh
. deploy/clean-debian.sh

find_swift
toolchain="$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")"
work=.build/image
rm -rf "$work" && mkdir -p "$work"

# What the context is: the files that git knows, less what .dockerignore leaves out. Its lines are
# one `*` and exceptions from it.
mkdir "$work/context"
[ "$(grep -c '^[^#!]' .dockerignore)" = 1 ] || die ".dockerignore has patterns not known here"
sed -n 's/^!//p' .dockerignore | xargs git ls-files -z -- |
    tar --null -T - -cf - | tar -C "$work/context" -xf -

# One step in the present tree. An environment of its own for each, as in an image.
tree="" folder=/ bind="" entry="" user=""
variables=()
run_step() {
    BIND="$bind" in_debian "$tree" env "${variables[@]}" sh -euc "cd '$folder'; $1"
}

copy_step() {
    local from="$work/context" words target source
    read -ra words <<<"$1"
    if [[ "${words[0]}" == --from=* ]]; then
        from="$work/${words[0]#--from=}"
        words=("${words[@]:1}")
    fi
    target="${words[-1]}"
    [[ "$target" == /* ]] || target="$folder/$target"
    unset 'words[-1]'
    for source in "${words[@]}"; do
        if [ -d "$from/$source" ]; then
            mkdir -p "$tree/$target" && cp -a "$from/$source/." "$tree/$target"
        elif [[ "$target" == */ || "$target" == */. ]]; then
            mkdir -p "$tree/$target" && cp -a "$from/$source" "$tree/$target"
        else
            mkdir -p "$(dirname "$tree/$target")" && cp -a "$from/$source" "$tree/$target"
        fi
    done
}

# What a tree weighs without all that a slim image leaves out of a Debian.
slim_megabytes() {
    du -sm --exclude="$1/usr/share/doc" --exclude="$1/usr/share/man" \
        --exclude="$1/usr/share/locale" --exclude="$1/var/cache" --exclude="$1/var/lib/apt" \
        "$1" | cut -f1
}

# Lines joined, comments dropped.
while read -r instruction rest; do
    say "$instruction $rest"
    case "$instruction" in
        ARG) variables+=("$rest") ;;
        FROM)
            name="${rest##* AS }"
            [ "$name" != "$rest" ] || name=runtime
            tree="$work/$name" folder=/ bind=""
            variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
            make_debian "$tree"
            case "$rest" in
                *SWIFT_IMAGE*)
                    bind="$toolchain:/opt/swift"
                    variables=("PATH=/opt/swift/usr/bin:${variables[0]#PATH=}")
                    ;;
                *) size_before=$(slim_megabytes "$tree") ;;
            esac
            ;;
        WORKDIR) folder="$rest" && mkdir -p "$tree/$folder" ;;
        COPY) copy_step "$rest" ;;
        RUN) run_step "$rest" ;;
        USER) user="$rest" ;;
        ENTRYPOINT) entry="$(tr -d '[]",' <<<"$rest")" ;;
        LABEL | EXPOSE | HEALTHCHECK | CMD) ;;
        *) die "this step is not known here: $instruction" ;;
    esac
done < <(sed -e '/^#/d' -e '/^ *$/d' deploy/Dockerfile | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta')

program() {
    BIND="" in_debian "$tree" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups \
        --no-new-privs "$entry" "$@"
}

say "what the program loads, by the packages it is from"
BIND="" in_debian "$tree" ldd "$entry" | tee "$work/ldd.txt" | grep -c '=>'
if grep 'not found' "$work/ldd.txt"; then die "the image lacks libraries"; fi
say "it starts, as user $user"
program --version
say "a recorded attestation of Apple's, judged in the image"
/usr/bin/python3 - "$tree/tmp/request.json" <<'PYTHON'
import json, sys
vector = json.load(open("Tests/Vectors/attestation-veehaitch-ios-14.4.json"))
request = {"requestId": "image", "keyId": vector["key_id"], "attestation": vector["attestation"],
           "clientData": vector["challenge"]}
json.dump(request, open(sys.argv[1], "w"))
PYTHON
program verify --app-id 6MURL8TA57.de.vincent-haupert.apple-appattest-poc \
    --environment development --at 2021-01-23T12:13:36Z /tmp/request.json
say "size: $size_before MB Debian, $(slim_megabytes "$tree") MB with the worker in it," \
    "$(du -sk "$tree$entry" | cut -f1) kB of it the program"
