"""The alerts: names against docs/metrics.md, syntax and cases by promtool."""

import pathlib
import subprocess
import tempfile

import yaml

from checks import metrics
from checks.common import documents

FOLDER = "deploy/prometheus"


def rules():
    """All alerts."""
    file = documents(f"{FOLDER}/rules.yaml")[0]
    return [rule for group in file["groups"] for rule in group["rules"]]


def check(findings, tools):
    known = metrics.families()
    if known is None:
        findings.skip("names in alerts: there is no docs/metrics.md")
    for rule in rules():
        name = rule["alert"]
        for problem in metrics.problems(rule["expr"], known) if known else []:
            findings.expect(False, f"alert {name}: {problem}")
        findings.expect(rule["labels"].get("severity") in ("page", "ticket"),
                        f"alert {name}: severity is neither page nor ticket")
        findings.expect({"summary", "description", "runbook_url"} <= rule["annotations"].keys(),
                        f"alert {name}: an annotation is missing")
    cases = documents(f"{FOLDER}/rules.test.yaml")[0]["tests"]
    for rule in rules():
        told = [case for test in cases for case in test["alert_rule_test"]
                if case["alertname"] == rule["alert"]]
        for fires in (True, False):
            findings.expect(any(bool(case["exp_alerts"]) == fires for case in told),
                            f"alert {rule['alert']}: no case in which it "
                            + ("fires" if fires else "does not fire"))
    run_promtool(findings, tools / "prometheus/usr/bin/promtool")


def run_promtool(findings, promtool):
    if not promtool.exists():
        findings.skip("promtool can't be had: neither syntax nor cases of the alerts were run")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in ("rules.yaml", "rules.test.yaml", "prometheus.yaml"):
            (folder / file).write_text(yaml.safe_dump(documents(f"{FOLDER}/{file}")[0]))
        run(findings, promtool, "check", "rules", folder / "rules.yaml")
        run(findings, promtool, "check", "config", "--syntax-only", folder / "prometheus.yaml")
        # The cases are about when an alert fires. promtool would have them repeat its prose, too.
        bare = documents(f"{FOLDER}/rules.yaml")[0]
        for group in bare["groups"]:
            for rule in group["rules"]:
                del rule["annotations"]
        (folder / "rules.yaml").write_text(yaml.safe_dump(bare))
        run(findings, promtool, "test", "rules", folder / "rules.test.yaml")


def run(findings, promtool, *arguments):
    done = subprocess.run([promtool, *arguments], capture_output=True, text=True, timeout=120)
    findings.expect(done.returncode == 0,
                    f"promtool {arguments[0]} {arguments[1]}:\n{done.stdout}{done.stderr}")
