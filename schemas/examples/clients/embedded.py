"""attest-worker with a broker and a database of its own, for as long as a test needs it."""

import json
import subprocess


class EmbeddedWorker:
    """`attest-worker run --embedded` as a context manager; needs nothing else on the machine but
    the programs of a PostgreSQL server. `addresses` is what it prints: bootstrapServers, topics,
    postgresURI, simulatedApp, and more.
    """

    def __init__(self, program="attest-worker", *settings, log=subprocess.DEVNULL):
        self._command = [program, "run", "--embedded", *settings]
        self._log = log
        self._process = None
        self.addresses = None

    def __enter__(self):
        # Its standard input is the string it hangs on: when this process ends, however it ends, the
        # kernel closes the pipe, and the worker goes and takes its database along.
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker ended with code {self._process.wait()}; see its log")
        self.addresses = json.loads(line)
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)
