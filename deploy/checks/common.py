"""What the checks share: where files are, what was found, what the code and the pages say."""

import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / "deploy"


class Findings:
    """Complaints, skipped checks, and how many checks there were."""

    def __init__(self):
        self.complaints = []
        self.skipped = []
        self.count = 0

    def expect(self, truth, complaint):
        """Counts a check; keeps the complaint if it failed."""
        self.count += 1
        if not truth:
            self.complaints.append(complaint)
        return bool(truth)

    def skip(self, what):
        self.skipped.append(what)


def text(path):
    """A file of the repository by its path."""
    return (ROOT / path).read_text(encoding="utf-8")


def documents(path):
    """All documents of a YAML file."""
    return [document for document in yaml.safe_load_all(text(path)) if document is not None]


def exit_codes():
    """The worker's exit codes by their names in the code."""
    source = text("Sources/Worker/Fault.swift").split("enum ExitCode")[1].split("\n}")[0]
    return {name: int(code) for name, code in re.findall(r"case (\w+) = (\d+)", source)}


def settings():
    """Keys and defaults by docs/settings.md."""
    found = {}
    for part in re.split(r"(?m)^### ", text("docs/settings.md"))[1:]:
        key = re.match(r"`([^`]+)`", part).group(1)
        default = re.search(r"(?m)^- default `(.*)`$", part)
        found[key] = default.group(1).strip('"') if default else None
    return found


def variables():
    """The environment variables by docs/settings.md, with those that name files of secrets."""
    page = text("docs/settings.md")
    return set(re.findall(r"variable `(ATTEST_\w+)`", page)) | {"ATTEST_CONFIG"}


def is_known_variable(name):
    """Whether the worker would take a variable of its own prefix."""
    known = variables()
    return (name in known or (name.endswith("_FILE") and name[:-5] in known)
            or name.startswith("ATTEST_KAFKA__PROPERTIES__"))


def seconds(duration):
    """A duration as settings and systemd have it, in seconds."""
    number, unit = re.fullmatch(r"(\d+)\s*(ms|s|min|m|h|d)?", duration).groups()
    factor = {"ms": 0.001, None: 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}[unit]
    return int(number) * factor


def stop_seconds():
    """How long a stop takes at most by default: Fleet adds closing and 2 s to the drain time."""
    close = re.search(r"closeWait: Duration = \.seconds\((\d+)\)",
                      text("Sources/Worker/Lane/LaneLimits.swift")).group(1)
    return seconds(settings()["worker.drainTimeout"]) + int(close) + 2


def gateway_stop_seconds():
    """How long a gateway's stop takes at most by default: who waits is answered, Kafka is told."""
    return seconds(settings()["gateway.deadline"]) + 10 + 2


def listen_port():
    """The port that health and metrics are told on by default."""
    listen = settings().get("operations.listen")
    return int(listen.rsplit(":", 1)[1]) if listen else 9464


def anchor(title):
    """The anchor that a heading of Markdown gets."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
