#!/usr/bin/env python3
"""Holds counted instructions of one object against Benchmarks/instructions.json.

    instructions.py FOLDER [--write]

FOLDER has callgrind's files NAME.FEW and NAME.MANY: a subject run FEW and MANY times. Their
difference is what an object costs, without the start of the program. Ends with 1 when a subject needs
more than its figure and the margin; --write makes what was counted the new figures.
"""
import json
import pathlib
import re
import sys

FIGURES = pathlib.Path(__file__).with_name("instructions.json")
# C libraries change with Debian's updates, and pick their code by the processor; ours does neither.
MARGINS = {"all": 0.10, "own": 0.05}
FOREIGN = ("libcrypto.so", "libc.so", "ld-linux")


def counted(path):
    """Instructions of a run: all of them, and those of this package and Swift's library."""
    names, here, skip = {}, "", False
    total = own = 0
    for line in path.read_text().splitlines():
        place = re.fullmatch(r"ob=\((\d+)\)(?: (.*))?", line)
        if place:
            names.setdefault(place[1], place[2])
            here = names[place[1]] or ""
        elif inner := re.fullmatch(r"cob=\((\d+)\) (.*)", line):
            names.setdefault(inner[1], inner[2])
        elif line.startswith("calls="):
            # The next line tells what the called function took: it is counted at its own place.
            skip = True
        elif re.match(r"[+*\-\d]", line):
            if not skip:
                cost = int(line.split()[-1])
                total += cost
                own += 0 if any(name in here for name in FOREIGN) else cost
            skip = False
    return {"all": total, "own": own}


def main():
    folder = pathlib.Path(sys.argv[1])
    figures = json.loads(FIGURES.read_text())
    seen, failed = {}, False
    for subject in figures:
        files = {int(path.suffix[1:]): path for path in folder.glob(subject["name"] + ".*")}
        few, many = min(files), max(files)
        if few == many:
            sys.exit(f"{folder} needs two runs of {subject['name']}")
        low, high = counted(files[few]), counted(files[many])
        for kind, margin in MARGINS.items():
            count = (high[kind] - low[kind]) // (many - few)
            if count <= 0:
                sys.exit(f"{subject['name']}: {count} instructions: nothing was measured")
            change = count / subject[kind] - 1
            verdict = "ok"
            if change > margin:
                verdict, failed = f"more than {margin:.0%} above", True
            elif change < -margin:
                verdict = "less than before: write the figure anew"
            print(f"{subject['name']}, {kind}: {count:,} of {subject[kind]:,} ({change:+.1%}) {verdict}")
            seen[subject["name"], kind] = count
    if "--write" in sys.argv[2:]:
        for subject in figures:
            for kind in MARGINS:
                subject[kind] = seen[subject["name"], kind]
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
        return
    if failed:
        sys.exit("an object costs more instructions than it did: Benchmarks/instructions.sh --write"
                 " if that is meant, with the reason in the commit")


if __name__ == "__main__":
    main()
