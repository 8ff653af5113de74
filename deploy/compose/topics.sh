#!/usr/bin/env bash
# Makes the topics as the worker needs them; those that are there it leaves alone. With three
# brokers or more: REPLICATION_FACTOR=3 MIN_INSYNC_REPLICAS=2.
set -euo pipefail

make_topic() {
    local name="$1" partitions="$PARTITIONS"
    # Each gateway reads one of its own.
    if [ "$name" = attest.replies.v1 ]; then partitions="${REPLY_PARTITIONS:-2}"; fi
    shift
    /opt/kafka/bin/kafka-topics.sh --bootstrap-server "$BOOTSTRAP_SERVERS" --create --if-not-exists \
        --topic "$name" --partitions "$partitions" --replication-factor "$REPLICATION_FACTOR" \
        --config "min.insync.replicas=$MIN_INSYNC_REPLICAS" --config cleanup.policy=delete "$@"
}

day=$((24 * 60 * 60 * 1000))
# Kept for a week: shorter than the inbox remembers (postgres.inboxRetention), so that a request
# that comes again is always known. As large as the worker reads (worker.valueBytesMax), and more.
make_topic attest.requests.v1 --config retention.ms=$((7 * day)) --config max.message.bytes=1048588
# Never compacted: a repeat of an older verdict of the same key would win over the newer one.
make_topic attest.verdicts.v1 --config retention.ms=$((14 * day))
# A dead letter is the record with more headers, so it must take more bytes.
make_topic attest.dead-letters.v1 --config retention.ms=$((30 * day)) \
    --config max.message.bytes=$((1048588 + 64 * 1024))
# Copies of verdicts for gateways, who read them at once or not at all.
make_topic attest.replies.v1 --config retention.ms=$((10 * 60 * 1000)) --config segment.ms=600000
