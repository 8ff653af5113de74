#!/usr/bin/python3
"""Checks deploy/ and RUNBOOK.md against the code, the reference pages and the schemas of others.

    check.py [--tools FOLDER] [--program PROGRAM]

FOLDER is what check.sh has put together: promtool, schemas. Without one of them its check is
skipped, and that is said; the same goes for PROGRAM, a built attest-worker. Needs python3-yaml and python3-jsonschema. Ends with 0 when nothing is
wrong, else with 1 and a line for each complaint.
"""

import argparse
import pathlib
import sys
import traceback

from checks import (compose, dashboard, examples, image, kubernetes, prometheus, runbook,
                    systemd)
from checks.common import Findings


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("/nonexistent"))
    arguments.add_argument("--program", type=pathlib.Path)
    options = arguments.parse_args()
    tools = options.tools.resolve()
    findings = Findings()
    for part in (prometheus, dashboard, runbook, systemd, image, compose, kubernetes):
        try:
            part.check(findings, tools)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Something that the check goes by is not there at all.
            place = traceback.extract_tb(error.__traceback__)[-1]
            findings.expect(False, f"{part.__name__} stumbles over {error!r}: {place.line}")
    examples.check(findings, options.program)
    for line in findings.skipped:
        print(f"SKIPPED: {line}")
    for line in findings.complaints:
        print(f"error: {line}", file=sys.stderr)
    if findings.complaints:
        print(f"{len(findings.complaints)} complaints about deploy/", file=sys.stderr)
        return 1
    print(f"deploy/: {findings.count} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
