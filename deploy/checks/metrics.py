"""Which series there are, by docs/metrics.md, and which of them a query of PromQL asks for."""

import re

from checks.common import ROOT

# Prometheus' own, kube-state-metrics' where Kubernetes is needed, and labels that a scrape adds.
FOREIGN = {"up": set(), "kube_cronjob_status_last_successful_time": {"cronjob"}}
SCRAPED = {"job", "instance", "namespace", "pod"}

FUNCTIONS_WITH_LABELS = r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)"
WORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left",
         "group_right", "inf", "nan"}


def families():
    """Labels by name, with the suffixes of histograms; None while there is no such page."""
    page = ROOT / "docs/metrics.md"
    if not page.exists():
        return None
    found = dict(FOREIGN)
    for part in re.split(r"(?m)^### ", page.read_text(encoding="utf-8"))[1:]:
        name = re.match(r"`(\w+)`", part).group(1)
        kind = re.search(r"(?m)^- (counter|gauge|histogram|info)", part).group(1)
        line = re.search(r"(?m)^- labels (.*)$", part)
        labels = set(re.findall(r"`(\w+)`", line.group(1))) if line else set()
        if kind == "histogram":
            found[name + "_bucket"] = labels | {"le"}
            found[name + "_count"] = found[name + "_sum"] = labels
        else:
            found[name] = labels
    return found


def problems(query, known):
    """What is wrong with the series and labels of a query."""
    query = re.sub(r"(?m)#.*$", "", query)
    found = []
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', query)
    asked = set()
    for name, braces in re.findall(r"\b([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}", plain):
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", braces):
            if name in known and label not in known[name] | SCRAPED:
                found.append(f"{name} has no label {label}")
    grouped = set()
    for names in re.findall(FUNCTIONS_WITH_LABELS, plain):
        grouped |= {label.strip() for label in names.split(",") if label.strip()}
    rest = re.sub(FUNCTIONS_WITH_LABELS, " ", plain)
    rest = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\boffset\s+\w+", " ", rest)
    for name, is_call in re.findall(r"\b([a-zA-Z_:][\w:]*)\s*(\(?)", rest):
        if is_call or name.lower() in WORDS:
            continue
        asked.add(name)
        if name not in known:
            found.append(f"there is no series {name}")
    labels = set().union(*(known.get(name, set()) for name in asked)) | SCRAPED if asked else set()
    found += [f"no series of the query has the label {label}" for label in grouped - labels]
    if not asked:
        found.append("it asks for no series")
    return found
