"""RUNBOOK.md: an entry for each alert and each exit code, and nothing that isn't there."""

import re

from checks import prometheus
from checks.common import ROOT, anchor, exit_codes, text


def check(findings, tools):
    page = text("RUNBOOK.md")
    anchors = [anchor(title) for title in re.findall(r"(?m)^#+ (.*)$", page)]
    findings.expect(len(anchors) == len(set(anchors)), "RUNBOOK.md: a heading comes twice")
    for rule in prometheus.rules():
        target = rule["annotations"]["runbook_url"]
        findings.expect(target == f"RUNBOOK.md#{rule['alert'].lower()}"
                        and rule["alert"].lower() in anchors,
                        f"alert {rule['alert']}: no entry at {target}")
    for name, code in exit_codes().items():
        findings.expect(f"exit-{code}" in anchors, f"RUNBOOK.md: no entry for exit {code} ({name})")

    alerts = {rule["alert"] for rule in prometheus.rules()}
    codes = {str(code) for code in exit_codes().values()}
    for title in re.findall(r"(?m)^### (.*)$", page):
        if title.startswith("Attest"):
            findings.expect(title in alerts, f"RUNBOOK.md: {title} is no alert")
        if title.startswith("Exit "):
            findings.expect(title[5:] in codes, f"RUNBOOK.md: {title} is no exit code")
        if title.startswith("Attest"):
            entry = page.split(f"\n### {title}\n")[1].split("\n### ")[0]
            findings.expect(all(f"**{part}**" in entry for part in ("Means", "Look at", "Do")),
                            f"RUNBOOK.md: {title} lacks Means, Look at or Do")
    for target in re.findall(r"\]\(#([^)]+)\)", page):
        findings.expect(target in anchors, f"RUNBOOK.md: a link leads to #{target}")
    check_words(findings, page)


def check_words(findings, page):
    """Commands, settings and reasons by their names in the code and the reference pages."""
    sources = "".join(text(path) for path in command_files())
    commands = set(re.findall(r'name: "([a-z-]+)", summary', sources))
    for command in re.findall(r"attest-worker ([a-z][a-z-]+)", code_of(page)):
        findings.expect(command in commands, f"RUNBOOK.md: attest-worker has no {command}")
    known = set(re.findall(r"(?m)^### `([^`]+)`", text("docs/settings.md")))
    known |= {"apps", "postgres.passwordFile"}
    for key in re.findall(r"`((?:kafka|postgres|worker|log|operations)\.\w+)`", page):
        findings.expect(key in known, f"RUNBOOK.md: there is no setting {key}")


def command_files():
    folder = ROOT / "Sources/attest-worker"
    return [path.relative_to(ROOT) for path in sorted(folder.rglob("*.swift"))]


def code_of(page):
    """What stands in code blocks and between backticks, where a command line would."""
    blocks = re.findall(r"(?m)^ {4,}.*$", page)
    return "\n".join(blocks + re.findall(r"`(attest-worker [^`]+)`", page))
