#!/usr/bin/python3
"""Asks the dashboard's queries and the alerts' of a real Prometheus that scrapes real processes.

    try-dashboard.py PROGRAM PROMETHEUS [SECONDS]

Starts PROGRAM as a worker with a broker and a database of its own and a server in the place of
Apple's, sends it requests of simulated devices, asks a gateway for challenges, has PROMETHEUS scrape
both, and after SECONDS (25 unless told) wants an answer to each query of the dashboard and no error
from any alert. A query with no answer would be an empty panel. Ends with 0 when none is empty, and
leaves nothing behind.
"""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

from checks import dashboard, prometheus
from checks.common import DEPLOY

RATE_INTERVAL = "20s"
# What must come within so long comes, or something is wrong.
PATIENCE = 90
# Of each program's output, when something is wrong.
LAST_LINES = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, look):
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    raise SystemExit(f"{what} did not come within {PATIENCE} s")


class Processes:
    """Programs that end with this one."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, name, *command, **keywords):
        output = open(self.folder / f"{name}.out", "wb")
        errors = open(self.folder / f"{name}.err", "wb")
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors,
                                   **keywords)
        self.running.append(process)
        return process

    def text(self, name, stream="err"):
        return (self.folder / f"{name}.{stream}").read_text(errors="replace")

    def show_last_lines(self):
        """What the programs said last: without it nobody could tell what went wrong."""
        for path in sorted([*self.folder.glob("*.err"), *self.folder.glob("*.out")]):
            for line in path.read_text(errors="replace").splitlines()[-LAST_LINES:]:
                print(f"{path.name}: {line}", file=sys.stderr)

    def stop(self):
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


APP = "SIMULATED1.com.example.app"
SEED = ("--seed=1", "--insecure-seed")
REPLIES = "--kafka.topics.replies=attest.replies.v1"
TEAM = "SIMULATED1"


def simulated_app(folder, program):
    """The settings of one app, whose attestations and receipts follow from the seed."""
    for flag, file in ("--print-root", "root.pem"), ("--print-receipt-root", "receipt-root.pem"):
        root = subprocess.run([program, "simulate", flag, *SEED], check=True, capture_output=True)
        (folder / file).write_bytes(root.stdout)
    return "--apps=" + json.dumps([{
        "appId": APP, "simulated": True, "trustAnchorFile": str(folder / "root.pem"),
        "receiptTrustAnchorFile": str(folder / "receipt-root.pem")}])


def start_apple(processes, program):
    """What stands for Apple's server for receipts; the settings that lead to it."""
    folder = processes.folder
    certificate, key = folder / "apple.pem", folder / "apple.key"
    provider = folder / "AuthKey_DASHBOARD1.p8"
    curve = ("-pkeyopt", "ec_paramgen_curve:P-256")
    for command in (
            ("genpkey", "-algorithm", "EC", *curve, "-out", provider),
            ("req", "-x509", "-newkey", "ec", *curve, "-nodes", "-keyout", key, "-out", certificate,
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    processes.start("apple", program, "simulate", "--apple", *SEED, f"--certificate={certificate}",
                    f"--key={key}", f"--provider-key={provider}", f"--team-id={TEAM}")
    told = wait_for("the server for receipts", lambda: processes.text("apple", "out"))
    url = told.split()[1]
    return (f"--receipts.keyPath={provider}", f"--receipts.teamId={TEAM}",
            "--receipts.firstWithin=0s", f"--receipts.caPath={certificate}",
            f"--receipts.productionUrl={url}", f"--receipts.developmentUrl={url}")


def told_address(processes, name, event):
    """Where a process listens, as its log tells under the name of the event; None until it does."""
    for line in processes.text(name).splitlines():
        told = json.loads(line) if line.startswith("{") and line.endswith("}") else {}
        if told.get("event") == event:
            return told["address"]
    return None


def start_worker(processes, program, *settings):
    """An embedded worker; its announcement and where its endpoints are."""
    secret = processes.folder / "challenges.secret"
    secret.write_text("thirty-two bytes or more, of no worth whatever\n")
    processes.start("worker", program, "run", "--embedded", "--operations.listen=127.0.0.1:0",
                    "--operations.statisticsInterval=1s", "--log.format=json", REPLIES,
                    f"--challenges.secretFile={secret}", *settings, stdin=subprocess.PIPE)
    announced = wait_for("the worker", lambda: processes.text("worker", "out"))
    return json.loads(announced), told_address(processes, "worker", "operations_listening")


def start_gateway(processes, program, announced):
    """A gateway that serves anyone; where its endpoints are, and where it answers."""
    processes.start("gateway", program, "gateway", REPLIES, "--gateway.replyPartition=0",
                    "--gateway.listen=127.0.0.1:0", "--gateway.allowAnonymous=true",
                    "--gateway.rates.callerPerMinute=0", "--operations.listen=127.0.0.1:0",
                    "--operations.statisticsInterval=1s", "--log.format=json",
                    f"--kafka.bootstrapServers={announced['bootstrapServers']}",
                    "--apps=" + json.dumps([{"appId": APP}]))
    answers = wait_for("the gateway",
                       lambda: told_address(processes, "gateway", "gateway_listening"))
    return told_address(processes, "gateway", "operations_listening"), answers


def ask_gateway(answers, stop):
    """Asks for a challenge five times a second, until told to stop."""
    while not stop.wait(0.2):
        request = urllib.request.Request(f"http://{answers}/v1/challenges", data=b"", method="POST",
                                         headers={"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=15).close()
        except OSError:
            pass


def start_load(processes, program, announced, apps, seconds):
    return processes.start(
        "simulate", program, "simulate", f"--app-id={APP}", *SEED, "--devices=5", "--rate=30",
        f"--duration={seconds}s", "--lies=replay=5%,forged=5%,repeated=5%",
        f"--kafka.bootstrapServers={announced['bootstrapServers']}", apps)


def start_prometheus(processes, program, target, gateway):
    """One that scrapes every second, with the alerts; its address."""
    port = free_port()
    (processes.folder / "rules.yaml").write_text((DEPLOY / "prometheus/rules.yaml").read_text())
    (processes.folder / "prometheus.yml").write_text(yaml.safe_dump({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [{"job_name": "attest-worker",
                            "static_configs": [{"targets": [target]}]},
                           {"job_name": "attest-gateway",
                            "static_configs": [{"targets": [gateway]}]}]}))
    processes.start("prometheus", program, f"--config.file={processes.folder}/prometheus.yml",
                    f"--storage.tsdb.path={processes.folder}/data",
                    f"--web.listen-address=127.0.0.1:{port}")
    return f"http://127.0.0.1:{port}"


def ask(address, path, **parameters):
    url = f"{address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        # While it starts, it is not ready.
        if error.code == 503:
            return None
        raise SystemExit(f"{url}: {error.read().decode()}") from error
    except OSError:
        return None


def empty_panels(address):
    complaints = []
    for title, ref, query in dashboard.queries():
        query = query.replace("$__rate_interval", RATE_INTERVAL).replace("$instance", ".+")
        query = query.replace("$gateway", ".+")
        found = ask(address, "query", query=query)["result"]
        if not any(float(one["value"][1]) == float(one["value"][1]) for one in found):
            complaints.append(f"{title} {ref}: no answer to {query}")
    return complaints


def wrong_alerts(address):
    groups = ask(address, "rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    complaints = [f"alert {rule['name']}: {rule.get('lastError')}" for rule in rules
                  if rule["health"] != "ok"]
    complaints += [f"alert {rule['name']} fires at a worker that does its work" for rule in rules
                   if rule["state"] == "firing"]
    if len(rules) != len(prometheus.rules()):
        complaints.append(f"{len(rules)} alerts were evaluated, not {len(prometheus.rules())}")
    return complaints


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    program, server = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    seconds = int(sys.argv[3]) if len(sys.argv) == 4 else 25
    with tempfile.TemporaryDirectory(prefix="attest-dashboard") as name:
        processes = Processes(pathlib.Path(name))
        enough = threading.Event()
        try:
            apps = simulated_app(processes.folder, program)
            announced, target = start_worker(
                processes, program, apps, *start_apple(processes, program))
            gateway, answers = start_gateway(processes, program, announced)
            address = start_prometheus(processes, server, target, gateway)
            # What a series begins with is no increase: it must be seen while it is zero.
            for part in "worker", "gateway":
                wait_for("a scrape",
                         lambda part=part: found(address, f"attest_{part}_build_info"))
            threading.Thread(target=ask_gateway, args=(answers, enough), daemon=True).start()
            load = start_load(processes, program, announced, apps, seconds + 60)
            for what in "verdicts", "receipt_risk_changes":
                query = f"sum(attest_worker_{what}_total) > 0"
                wait_for(f"the first {what}", lambda query=query: found(address, query))
            time.sleep(seconds)
            if load.poll() is not None:
                raise SystemExit(f"the load ended with {load.returncode}: "
                                 + processes.text("simulate"))
            complaints = empty_panels(address) + wrong_alerts(address)
        except SystemExit:
            processes.show_last_lines()
            raise
        finally:
            enough.set()
            processes.stop()
    for complaint in complaints:
        print(f"error: {complaint}", file=sys.stderr)
    if complaints:
        return 1
    print(f"{len(dashboard.queries())} queries of the dashboard have answers, and all "
          f"{len(prometheus.rules())} alerts were evaluated and are silent")
    return 0


def found(address, query):
    """Whether a query has any answer yet."""
    answer = ask(address, "query", query=query)
    return answer and answer["result"]


if __name__ == "__main__":
    sys.exit(main())
