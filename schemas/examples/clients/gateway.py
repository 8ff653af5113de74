"""A gateway's side of attest-worker: send a request, wait for its verdict.

Needs confluent-kafka. Everything that matters for being right is in here: the key and the
partitioner, the request id, waiting by request id, dropping repeats by verdict id.
"""

import base64
import concurrent.futures
import json
import logging
import threading

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition


# Repeats come soon after the first, but for those of a gateway that sends a request again.
REMEMBERED = 10_000
LOG = logging.getLogger("gateway")


class Gateway:
    """Sends requests and waits for verdicts; safe to use from several threads."""

    def __init__(self, bootstrap_servers, requests="attest.requests.v1",
                 verdicts="attest.verdicts.v1", on_verdict=None):
        """Connects.

        on_verdict: called with each verdict on the topic, those for other instances as well, but
            not with repeats: for what must be done once, such as counting. When it raises, nothing
            is read any more, and every verify raises what it raised.
        """
        self._topic = requests
        self._on_verdict = on_verdict
        self._lock = threading.Lock()
        self._waiting = {}  # By request id: the futures of those who wait for its verdict.
        self._failure = None
        self._closed = False
        self._producer = Producer({
            "bootstrap.servers": bootstrap_servers,
            # One key, one partition, one order: all producers must hash as Java clients do.
            # librdkafka's default is another hash.
            "partitioner": "murmur2_random",
            "enable.idempotence": True,
            "linger.ms": 0,
        })
        # Each gateway instance reads all partitions, as any of them may hold its verdicts: it is
        # no member of a group, and commits nothing.
        self._consumer = Consumer({
            "bootstrap.servers": bootstrap_servers,
            "group.id": "not-joined",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 50,
        })
        metadata = self._consumer.list_topics(verdicts, timeout=10).topics[verdicts]
        if metadata.error is not None:
            raise KafkaException(metadata.error)
        # From the end as it is now: looked up, for whatever is sent next is answered behind it.
        partitions = [TopicPartition(verdicts, number) for number in metadata.partitions]
        for partition in partitions:
            _, partition.offset = self._consumer.get_watermark_offsets(partition, timeout=10)
        self._consumer.assign(partitions)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def verify(self, key_id, request_id, value, headers=None, timestamp=None, timeout=10.0):
        """Sends one request; returns its verdict, a dictionary.

        key_id: standard base64 with padding, as the app sends it; the key of the record.
        request_id: minted by the gateway for each request, never by the app; the same one again
            whenever the same request is sent again, then it is answered with the same verdict.
        value: bytes of the JSON message, which has the same requestId in it.

        Raises TimeoutError when none came in time: the request may still be decided. Send it again
        with the same request id, or tell the app to try again; never take it for accepted.
        """
        answer = concurrent.futures.Future()
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self._waiting.setdefault(request_id, []).append(answer)

        def delivered(error, _message):
            # One request that did not arrive says nothing of the others.
            if error is not None:
                self._resolve([answer], failure=KafkaException(error))

        try:
            delivery = {} if timestamp is None else {"timestamp": timestamp}
            self._producer.produce(
                self._topic, key=key_id, value=value, headers=list((headers or {}).items()),
                on_delivery=delivered, **delivery)
            self._producer.poll(0)
            if not concurrent.futures.wait([answer], timeout).done:
                raise TimeoutError(f"no verdict on {request_id} within {timeout} s")
            return answer.result()
        finally:
            with self._lock:
                self._waiting[request_id].remove(answer)
                if not self._waiting[request_id]:
                    del self._waiting[request_id]

    def close(self):
        """Waits for what was sent to arrive, and stops reading."""
        self._producer.flush(10)
        self._closed = True
        self._reader.join(10)
        self._consumer.close()
        self._producer = None  # Its threads end with the last reference.

    def _resolve(self, answers, verdict=None, failure=None):
        with self._lock:
            for answer in answers:
                if answer.done():
                    continue  # By the first verdict; a repeat has the same bytes.
                if failure is None:
                    answer.set_result(verdict)
                else:
                    answer.set_exception(failure)

    def _fail(self, failure):
        with self._lock:
            self._failure = failure
            answers = sum(self._waiting.values(), [])
        self._resolve(answers, failure=failure)

    def _read(self):
        try:
            self._read_verdicts()
        except Exception as failure:  # Or all would wait for what nobody reads.
            LOG.exception("verdicts are not read any more")
            self._fail(failure)

    def _read_verdicts(self):
        seen = {}  # The verdict ids of late, the oldest first.
        while not self._closed:
            self._producer.poll(0)
            message = self._consumer.poll(0.05)
            if message is None:
                continue
            if message.error() is not None:
                if message.error().fatal():
                    return self._fail(KafkaException(message.error()))
                continue  # librdkafka goes on by itself.
            verdict = parse_verdict(message.value())
            if verdict is None:
                LOG.warning("%s[%d] offset %d holds no verdict: who else writes to this topic?",
                            message.topic(), message.partition(), message.offset())
                continue
            # Others are another instance's, or repeats that nobody waits for any more. A repeat
            # that somebody waits for is as good as the first: it has the same bytes.
            with self._lock:
                answers = list(self._waiting.get(verdict.get("requestId"), []))
            self._resolve(answers, verdict)
            if self._on_verdict is None or verdict["verdictId"] in seen:
                continue
            seen[verdict["verdictId"]] = True
            if len(seen) > REMEMBERED:
                del seen[next(iter(seen))]
            self._on_verdict(verdict)


def parse_verdict(value):
    """The verdict in a record's value; None if there is none in it."""
    try:
        verdict = json.loads(value)
    except (TypeError, ValueError):  # A record without a value has none either.
        return None
    if not isinstance(verdict, dict) or not isinstance(verdict.get("verdictId"), str):
        return None
    # Absent where the request had none that could be read.
    return verdict if isinstance(verdict.get("requestId", ""), str) else None


def key_id_of_artifact(artifact):
    """The key id in an artifact of App Check's contract, to key the record of an assertion by.

    artifact: base64 as the app sends it, in either alphabet. Not verified here: the worker does.
    Returns None where it is none: answer the app so that it attests anew.
    """
    text = artifact.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None
    if len(data) != 105 or data[0] != 1:
        return None
    return base64.b64encode(data[1:33]).decode("ascii")


def consume_message(request_id, token):
    """The message that has a token for limited use consumed: `Gateway.verify` it with any key.

    request_id: minted by the service for each call that it serves; the same one again when it asks
        again, as the first answer may have been lost.
    """
    return json.dumps({"requestId": request_id, "type": "consume", "token": token}).encode()


def is_first_use(verdict, app_id):
    """Whether a verdict on such a message lets the call in: the token was consumed by it."""
    return (verdict["outcome"] == "accepted" and verdict.get("type") == "consume"
            and verdict["appId"] == app_id and not verdict.get("alreadyConsumed", False))


def is_genuine(verdict, app_id, allow_simulated=False):
    """Whether a verdict lets the request in.

    Look at all three: a worker may serve several apps, and a simulated app's devices are no phones.
    """
    return (verdict["outcome"] == "accepted" and verdict["appId"] == app_id
            and (allow_simulated or not verdict.get("simulated", False)))
