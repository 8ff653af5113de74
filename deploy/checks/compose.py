"""compose.yaml: by its schema, its references, and against the settings."""

import json
import os
import re
import subprocess

import jsonschema

from checks.common import (DEPLOY, ROOT, documents, gateway_stop_seconds, is_known_variable,
                           listen_port, seconds, settings, stop_seconds, text)

FILE = "deploy/compose.yaml"
# What the specification knows of a service, as far as it is used here: a word that is misspelt is
# ignored by no one but the engine.
SERVICE = {
    "image", "build", "restart", "environment", "volumes", "ports", "healthcheck", "depends_on",
    "entrypoint", "command", "secrets", "user", "read_only", "cap_drop", "security_opt",
    "stop_grace_period", "deploy",
}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


def check(findings, tools):
    file = documents(FILE)[0]
    services = file["services"]
    validate(findings, tools, file)
    findings.expect(file.keys() <= {"name", "services", "volumes", "secrets", "x-worker"},
                    f"{FILE}: an unknown word at the top")
    for name, service in services.items():
        place = f"{FILE}: {name}"
        findings.expect(service.keys() <= SERVICE, f"{place}: {service.keys() - SERVICE}")
        check_references(findings, place, service, file)
        for needed, how in dependencies(service):
            findings.expect(needed in services, f"{place}: depends on {needed}, which is not there")
            findings.expect(how in CONDITIONS, f"{place}: {how} is no condition")
            if how == "service_healthy" and needed in services:
                findings.expect("healthcheck" in services[needed] or is_worker(services[needed]),
                                f"{place}: {needed} can't be healthy without a health check")
        if is_worker(service):
            check_worker(findings, place, service)
        elif not service["image"].startswith("attest-worker"):
            findings.expect(re.search(r":v?\d", service["image"]), f"{place}: no version of image")
    worker = services["attest-worker"]
    findings.expect(seconds(worker["stop_grace_period"]) > stop_seconds(),
                    f"{FILE}: a stop may take {stop_seconds()} s, more than stop_grace_period")
    findings.expect(worker["deploy"]["replicas"] == 2, f"{FILE}: not two workers")
    scrape = documents("deploy/prometheus/prometheus.yaml")[0]["scrape_configs"][0]
    target = scrape["dns_sd_configs"][0]
    listen = worker["environment"]["ATTEST_OPERATIONS__LISTEN"]
    findings.expect(target["names"] == ["attest-worker"] and scrape["job_name"] == "attest-worker",
                    "prometheus.yaml does not scrape the service attest-worker")
    findings.expect(int(listen.rsplit(":", 1)[1]) == target["port"] == listen_port(),
                    "the port of the workers and that which prometheus.yaml scrapes differ")
    check_gateway(findings, services)
    check_topics(findings, services["topics"])
    check_roles(findings, services)


def validate(findings, tools, file):
    found = list(tools.glob("python/lib/*/site-packages/compose/config/compose_spec.json"))
    if not found:
        findings.skip("docker-compose's schema can't be had: it was not held against compose.yaml")
        return
    # It is older than the word `name`.
    known = {key: value for key, value in file.items() if key != "name"}
    for error in jsonschema.Draft7Validator(json.loads(found[0].read_text())).iter_errors(known):
        place = "/".join(map(str, error.path))
        findings.expect(False, f"{FILE}: {place}: {error.message[:200]}")
    findings.count += 1


def dependencies(service):
    needed = service.get("depends_on", {})
    if isinstance(needed, list):
        return [(name, "service_started") for name in needed]
    return [(name, how["condition"]) for name, how in needed.items()]


def is_worker(service):
    return service["image"].startswith("attest-worker")


def check_references(findings, place, service, file):
    for volume in service.get("volumes", []):
        source, target = volume.split(":")[:2]
        findings.expect(target.startswith("/"), f"{place}: {volume}")
        if source.startswith("."):
            findings.expect((DEPLOY / source).exists(), f"{place}: there is no {source}")
        else:
            findings.expect(source in file["volumes"], f"{place}: no volume {source}")
    for secret in service.get("secrets", []):
        findings.expect(secret in file["secrets"], f"{place}: no secret {secret}")
    for port in service.get("ports", []):
        findings.expect(port.startswith("127.0.0.1:"), f"{place}: {port} is open to the network")
    for key, value in service.get("environment", {}).items():
        if key.endswith(("_FILE", "_FILES")) and str(value).startswith("/run/secrets/"):
            findings.expect(value.rsplit("/", 1)[1] in service.get("secrets", []),
                            f"{place}: {key} names a secret that it is not given")
        findings.expect("PASSWORD" not in key or key.rstrip("_").endswith("FILE"),
                        f"{place}: {key} holds a secret in plain sight")
        findings.expect(isinstance(value, str), f"{place}: {key} must be a text")
    if "build" in service:
        build = service["build"]
        findings.expect((DEPLOY / build["context"] / build["dockerfile"]).exists(),
                        f"{place}: no Dockerfile")


def check_worker(findings, place, service):
    for name in service["environment"]:
        findings.expect(not name.startswith("ATTEST_") or is_known_variable(name),
                        f"{place}: no setting has the variable {name}")
    findings.expect(service.get("read_only") and service.get("cap_drop") == ["ALL"],
                    f"{place}: not read-only without rights")
    command = service["command"]
    if command[0] == "run" or command[0] == "migrate" or command[0] in ("simulate", "gateway"):
        words = text("Sources/attest-worker/Command.swift").lower()
        findings.expect(f"{command[0]}command.command" in words, f"{place}: no {command[0]}")


def reply_topic(file):
    """The reply topic by a settings file of compose.yaml."""
    return re.search(r'replies: "([^"]+)"', text(f"deploy/compose/{file}")).group(1)


def check_gateway(findings, services):
    """No secret of a worker's, a partition that there is, time to answer, a proxy's place."""
    gateway = services["attest-gateway"]
    place = f"{FILE}: attest-gateway"
    variables = gateway["environment"]
    workers = set(services["attest-worker"]["secrets"]) | set(services["migrate"]["secrets"])
    findings.expect(not workers & set(gateway["secrets"]), f"{place}: has secrets of the workers")
    partition = int(variables["ATTEST_GATEWAY__REPLY_PARTITION"])
    findings.expect(partition < int(services["topics"]["environment"]["REPLY_PARTITIONS"]),
                    f"{place}: there is no partition {partition}")
    findings.expect(reply_topic("gateway.json5") == reply_topic("attest.json5"),
                    f"{place}: another reply topic than the workers'")
    findings.expect(seconds(gateway["stop_grace_period"]) > gateway_stop_seconds(),
                    f"{place}: a stop may take longer than stop_grace_period")
    port = variables["ATTEST_GATEWAY__LISTEN"].rsplit(":", 1)[1]
    findings.expect(gateway["ports"] == [f"127.0.0.1:{port}:{port}"], f"{place}: ports")
    jobs = documents("deploy/prometheus/prometheus.yaml")[0]["scrape_configs"]
    target = jobs[1]["dns_sd_configs"][0]
    listen = variables["ATTEST_OPERATIONS__LISTEN"]
    findings.expect(jobs[1]["job_name"] == "attest-gateway" == target["names"][0]
                    and target["port"] == int(listen.rsplit(":", 1)[1]),
                    f"{place}: prometheus.yaml does not scrape it")


def check_topics(findings, service):
    """Retention and sizes against the settings' defaults; the script's syntax."""
    script = text("deploy/compose/topics.sh")
    topics = re.findall(r"(?m)^make_topic (\S+) (.*(?:\\\n.*)*)$", script)
    by_default = settings()
    names = [by_default["kafka.topics.requests"].strip('[]"'), by_default["kafka.topics.verdicts"],
             by_default["kafka.topics.deadLetters"], reply_topic("attest.json5")]
    findings.expect([name for name, _ in topics] == names, f"topics.sh makes other topics: {names}")
    days = int(re.search(r"retention.ms=\$\(\((\d+) \* day", topics[0][1]).group(1))
    findings.expect(seconds(by_default["postgres.inboxRetention"]) >= 2 * days * 86400,
                    "topics.sh: requests are kept too long for postgres.inboxRetention")
    findings.expect("cleanup.policy=delete" in script, "topics.sh: not all topics are for deletion")
    for path in sorted((DEPLOY / "compose").glob("*.sh")):
        findings.expect(os.access(path, os.X_OK), f"{path.relative_to(ROOT)} is not executable")
        done = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
        findings.expect(done.returncode == 0, done.stderr)


def check_roles(findings, services):
    """Whoever runs is not the owner of the tables, who migrates; the roles are made in between."""
    owner = services["postgres"]["environment"]["POSTGRES_USER"]
    user = re.search(r"user=(\w+)", text("deploy/compose/attest.json5")).group(1)
    login = text("deploy/compose/worker-login.sql")
    findings.expect(user != owner and f"GRANT attest_worker TO {user};" in login,
                    f"compose/attest.json5: {user} has not the worker's rights, or more")
    migrate = services["migrate"]
    findings.expect(f"user={owner}" in migrate["environment"]["ATTEST_POSTGRES__CONNECTION"],
                    f"{FILE}: migrate is not the owner of the tables")
    for name in ("attest-worker", "simulator"):
        findings.expect("postgres-password" not in services[name]["secrets"],
                        f"{FILE}: {name} has the owner's password")
    for name, needed in (("attest-worker", "roles"), ("roles", "migrate")):
        findings.expect(dict(dependencies(services[name])).get(needed)
                        == "service_completed_successfully", f"{FILE}: {name} before {needed}")
    # A role of schemas/roles.sql can't log in itself.
    for path in ("deploy/kubernetes/example/attest.json5", "deploy/debian/attest.json5"):
        user = re.search(r'connection: "[^"]*user=(\w+)', text(path)).group(1)
        findings.expect(re.fullmatch(r"attest_worker_\d", user), f"{path}: {user} can't log in")
