"""Every fixture gets the verdict that its file says, by way of the topics.

    python3 test_fixtures.py path/to/attest-worker
"""

import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

from confluent_kafka import KafkaError, KafkaException, Producer

from embedded import EmbeddedWorker
from gateway import Gateway, consume_message, is_first_use, is_genuine

PROGRAM = "attest-worker"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class FixturesTest(unittest.TestCase):
    def test_every_fixture_gets_its_verdict(self):
        with tempfile.TemporaryDirectory() as folder, EmbeddedWorker(PROGRAM) as worker:
            out = pathlib.Path(folder)
            subprocess.run([PROGRAM, "fixtures", "--out", folder], check=True,
                           stdout=subprocess.DEVNULL)
            expected = {verdict["requestId"]: verdict for verdict in lines(out / "verdicts.jsonl")}
            requests = lines(out / "requests.jsonl")
            once, lock = collections.Counter(), threading.Lock()

            def count(verdict):
                with lock:
                    once[verdict["verdictId"]] += 1

            gateway = Gateway(worker.addresses["bootstrapServers"], on_verdict=count)
            app_id = worker.addresses["simulatedApp"]["appId"]
            try:
                for request in requests:
                    with self.subTest(request["story"]):
                        verdict = gateway.verify(
                            request["key"], request["requestId"], request["value"].encode(),
                            request["headers"], request["timestamp"])
                        wanted = expected[request["requestId"]]
                        self.assertEqual({name: verdict.get(name) for name in wanted}, wanted)
                        accepted = wanted["outcome"] == "accepted"
                        self.assertEqual(is_genuine(verdict, app_id, True), accepted)
                        # For whoever does not expect simulated devices, none of these is a phone.
                        self.assertFalse(is_genuine(verdict, app_id))
                        self.assertFalse(is_genuine(verdict, "TEAM.other", True))
                with self.assertRaises(TimeoutError):
                    gateway.verify(None, "not-in-the-message", b"{}", timeout=1.0)
                # A worker without keys of tokens says so.
                verdict = gateway.verify(
                    None, "consume-1", consume_message("consume-1", "a.b.c"), timeout=5.0)
                self.assertEqual(verdict["reason"], "not_configured")
                self.check_that_an_undelivered_request_fails_alone(gateway, requests[0])
                self.check_that_all_who_wait_get_the_verdict(gateway, requests[0])
                self.check_that_what_is_no_verdict_stops_nothing(worker, gateway, requests[0])
                self.check_that_a_failure_of_the_reader_is_told(worker, requests[0])
            finally:
                gateway.close()
            for verdict in expected.values():
                self.assertEqual(once[verdict["verdictId"]], 1, verdict)

    def test_a_token_lets_a_call_in_once(self):
        first = {"outcome": "accepted", "type": "consume", "appId": "T.a"}
        self.assertTrue(is_first_use(first, "T.a"))
        for change in ({"alreadyConsumed": True}, {"outcome": "rejected"},
                       {"type": "assertion"}, {"appId": "T.b"}):
            self.assertFalse(is_first_use(first | change, "T.a"))

    def test_a_worker_that_does_not_start_tells_why(self):
        with self.assertRaisesRegex(RuntimeError, "code 78\n.*kafka.bootstrapServers must not be"):
            EmbeddedWorker(PROGRAM, "--kafka.bootstrapServers=b:1").__enter__()

    def check_that_an_undelivered_request_fails_alone(self, gateway, request):
        def refuse(*_, on_delivery, **__):
            on_delivery(KafkaError(KafkaError._MSG_TIMED_OUT), None)

        with unittest.mock.patch.object(gateway, "_producer") as producer:
            producer.produce = refuse
            with self.assertRaises(KafkaException):
                self.send(gateway, request)
        self.assertEqual(self.send(gateway, request)["outcome"], "accepted")

    def check_that_all_who_wait_get_the_verdict(self, gateway, request):
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            answers = [threads.submit(self.send, gateway, request) for _ in range(8)]
            for answer in answers:
                self.assertEqual(answer.result()["requestId"], request["requestId"])

    def check_that_what_is_no_verdict_stops_nothing(self, worker, gateway, request):
        producer = Producer({"bootstrap.servers": worker.addresses["bootstrapServers"]})
        with self.assertLogs("gateway", "WARNING") as log:
            for value in (b"not json", b"7", b'{"verdictId":7}', None):
                # Where the verdict will lie, so that it is read behind them.
                producer.produce("attest.verdicts.v1", key=request["key"], value=value)
            self.assertEqual(producer.flush(10), 0)
            self.assertEqual(self.send(gateway, request)["outcome"], "accepted")
            while len(log.output) < 4:
                time.sleep(0.05)  # They may lie in other partitions.

    def check_that_a_failure_of_the_reader_is_told(self, worker, request):
        def fail(_):
            raise ZeroDivisionError

        gateway = Gateway(worker.addresses["bootstrapServers"], on_verdict=fail)
        with self.assertLogs("gateway", "ERROR"):
            self.send(gateway, request)
            with self.assertRaises(ZeroDivisionError):
                while True:
                    self.send(gateway, request)
        gateway.close()

    def send(self, gateway, request):
        return gateway.verify(
            request["key"], request["requestId"], request["value"].encode(),
            request["headers"], request["timestamp"], timeout=5.0)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        PROGRAM = str(pathlib.Path(sys.argv.pop()).resolve())
    unittest.main()
