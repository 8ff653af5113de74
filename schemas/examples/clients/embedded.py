"""attest-worker with a broker and a database of its own, for as long as a test needs it."""

import json
import os
import subprocess
import tempfile


class EmbeddedWorker:
    """`attest-worker run --embedded` as a context manager; needs nothing else on the machine but
    the programs of a PostgreSQL server. `addresses` is what it prints: bootstrapServers, topics,
    postgresURI, simulatedApp, and more. What it logs goes to a file of its own, and into the error
    when it does not start; with log=sys.stderr you see it as it comes.
    """

    def __init__(self, program="attest-worker", *settings, log=None):
        self._command = [program, "run", "--embedded", *settings]
        self._log = log or tempfile.TemporaryFile()
        self._is_log_kept = log is None
        self._process = None
        self.addresses = None

    def __enter__(self):
        # Its standard input is the string it hangs on: when this process ends, however it ends, the
        # kernel closes the pipe, and the worker goes and takes its database along.
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            raise RuntimeError(f"the worker ended with code {code}{self.log()}")
        self.addresses = json.loads(line)
        return self

    def log(self, lines=20):
        """The end of what the worker has logged, each line behind a newline; for messages."""
        if not self._is_log_kept:
            return "; see its log"
        # The worker writes where this file's position is: it must stay.
        size = os.fstat(self._log.fileno()).st_size
        end = os.pread(self._log.fileno(), 65_536, max(0, size - 65_536))
        return "".join(
            "\n  " + line for line in end.decode(errors="replace").splitlines()[-lines:])

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)
        if self._is_log_kept:
            self._log.close()
