#!/usr/bin/env bash
# Prints the manual page of the program $1, in roff: its own help, command by command.
set -euo pipefail
program="$1"

verbatim() {
    printf '.nf\n'
    # A dot or a quote at the beginning would be a request; a hyphen is what can be typed.
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
    printf '.fi\n'
}

commands="$("$program" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')"
version="$("$program" --version | cut -d' ' -f2)"
printf '.TH ATTEST\\-WORKER 1 "" "attest\\-worker %s"\n' "$version"
printf '.SH NAME\nattest\\-worker \\- verifier of Apple App Attest requests from Kafka\n'
printf '.SH SYNOPSIS\n.B attest\\-worker\n.I COMMAND\n[\n.I FLAGS\n]\n'
printf '.SH DESCRIPTION\n'
"$program" --help | verbatim
for command in $commands; do
    printf '.SH "%s"\n' "${command^^}"
    "$program" "$command" --help | verbatim
done
printf '.SH FILES\n.I /etc/attest\\-worker/attest.json5\n.br\n.I /etc/default/attest\\-worker\n'
printf '.br\n.I /usr/share/doc/attest\\-worker/RUNBOOK.md\n'
