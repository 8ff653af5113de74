"""Grafana's dashboard: its queries ask for series that there are, its panels don't overlap."""

import json

from checks import metrics
from checks.common import documents, text

FILE = "deploy/grafana/dashboard.json"


def panels():
    """All panels that show something."""
    return [panel for panel in json.loads(text(FILE))["panels"] if panel["type"] != "row"]


def queries():
    """Title, refId and query of each."""
    return [(panel["title"], target["refId"], target["expr"])
            for panel in panels() for target in panel["targets"]]


def check(findings, tools):
    board = json.loads(text(FILE))
    findings.expect(board["uid"] == "attest-worker", f"{FILE}: the uid is its address: keep it")
    known = metrics.families()
    if known is None:
        findings.skip("names in the dashboard: there is no docs/metrics.md")
    for title, ref, query in queries():
        findings.expect(query, f"{FILE}: {title} {ref} asks for nothing")
        for problem in metrics.problems(query, known) if known else []:
            findings.expect(False, f"{FILE}: {title} {ref}: {problem}")
    identifiers = [panel["id"] for panel in board["panels"]]
    findings.expect(len(set(identifiers)) == len(identifiers), f"{FILE}: an id comes twice")
    taken = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        findings.expect(not cells & taken and place["x"] + place["w"] <= 24,
                        f"{FILE}: {panel['title']} lies over another panel, or outside")
        taken |= cells
        findings.expect(panel["type"] == "row" or panel.get("description"),
                        f"{FILE}: {panel['title']} says nothing about itself")
    provision = documents("deploy/grafana/provisioning/dashboards/attest-worker.yaml")[0]
    mounts = documents("deploy/compose.yaml")[0]["services"]["grafana"]["volumes"]
    folder = provision["providers"][0]["options"]["path"]
    findings.expect(any(f":{folder}/" in mount for mount in mounts),
                    f"compose.yaml mounts no dashboard in {folder}")
