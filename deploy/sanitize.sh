#!/usr/bin/env bash
# The tests under AddressSanitizer, with its leak checker, and under ThreadSanitizer. What either finds,
# in the tests or in a broker that they start, is printed and ends this with 1.
#
#   deploy/sanitize.sh [address|thread]...    both unless told
#
# Left out: the models that try everything there is (they own no memory by hand, and would take half an
# hour), and EndToEndTests, whose parts are tested here by themselves. ThreadSanitizer also leaves out
# what has a Kafka client: it does not know the threads of C11 (thrd_create), which librdkafka makes,
# and a process with one of them ends at once.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/lib.sh
. deploy/lib.sh
find_swift
export SANITIZE=1 # leaves out of the package what is not built here

# What holds C's memory in its hands: clients, connections, parsers of signed bytes.
address='LibCryptoTests|OperationsTests|HTTPClientTests|TraceExportTests|PostgresStoreTests|KafkaTransportTests'
address="$address|WireTests|HarnessTests|AppAttestTests.(CBOR|Changed|Minted|Recorded)"
# What has threads.
thread='OperationsTests|HTTPClientTests|TraceExportTests|PostgresStoreTests.(RaceTests|BrokenConnection)'
thread="$thread|WorkerTests.(Observation|Health|LogMerger)|CommandTests.(Supervisor|Reloader|Departure)"
models='Interleaving|EveryDeath|CrashPoint|DecisionModel|KeyChangeModel'

sanitize() { # NAME of the sanitizer, FILTER of the tests
    local name="$1" filter="$2" scratch=".build/sanitize-$1" status=0
    local findings="$PWD/$scratch/findings"
    say "build with the sanitizer: $name"
    swift build --build-tests --sanitize="$name" --scratch-path "$scratch"
    rm -rf "$findings"
    mkdir -p "$findings"
    grep '^leak:' deploy/sanitizer-suppressions.txt >"$scratch/leaks.txt"
    grep '^race:' deploy/sanitizer-suppressions.txt >"$scratch/races.txt"
    # A finding in a child process may pass unseen by the test that started it: so each is written to
    # a file, too, and any file fails the run.
    export ASAN_OPTIONS="detect_leaks=1:halt_on_error=1:log_path=$findings/address"
    export LSAN_OPTIONS="suppressions=$PWD/$scratch/leaks.txt:print_suppressions=0"
    export TSAN_OPTIONS="exitcode=66:suppressions=$PWD/$scratch/races.txt:log_path=$findings/thread"
    say "tests with the sanitizer: $name"
    swift test --skip-build --disable-xctest --no-parallel --sanitize="$name" --scratch-path "$scratch" \
        --filter "$filter" --skip "$models" || status=$?
    if [ -n "$(ls -A "$findings")" ]; then
        cat "$findings"/*
        die "the sanitizer has found something: $name"
    fi
    [ "$status" = 0 ] || die "tests fail with the sanitizer: $name"
}

if [ "$#" -eq 0 ]; then set -- address thread; fi
for name in "$@"; do
    case "$name" in
        address) sanitize address "$address" ;;
        thread) sanitize thread "$thread" ;;
        *) die "no such sanitizer here: $name" ;;
    esac
done
say "the sanitizers have found nothing"
