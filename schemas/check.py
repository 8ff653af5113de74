#!/usr/bin/python3
"""Checks messages against the schemas beside this file.

    check.py [FOLDER]

Always: the schemas are schemas, the examples fit them, asyncapi.yaml's references lead somewhere.
With a folder: each of its files is judged, by a name of the form <must>/<schema>.<any>.json, where
<must> is `valid` (fits), `invalid` (does not fit) or `made` (fits, and has only declared members).
Needs python3-jsonschema and python3-yaml. Ends with 0 when all is as it must be, else with 1 and a
line for each complaint.
"""

import json
import pathlib
import sys

import jsonschema
import yaml

HOME = pathlib.Path(__file__).resolve().parent
MUSTS = ("valid", "invalid", "made")
complaints = []


def load(path):
    return json.loads(path.read_bytes())


def validators():
    """A validator for each schema file, by the part of the name before the first dot."""
    found = {}
    for path in sorted(HOME.glob("*.schema.json")):
        schema = load(path)
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver(path.as_uri(), schema)
        found[path.name.split(".")[0]] = jsonschema.Draft202012Validator(
            schema, resolver=resolver, format_checker=jsonschema.FormatChecker())
    return found


def check(path, must, validator):
    message = load(path)
    error = jsonschema.exceptions.best_match(validator.iter_errors(message))
    if must == "invalid":
        if error is None:
            complaints.append(f"{path}: fits, but must not")
        return
    if error is not None:
        complaints.append(f"{path}: {error.message[:300]}")
    elif must == "made":
        for name in message.keys() - validator.schema["properties"].keys():
            complaints.append(f"{path}: {name} is not declared")


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def check_reference(file, document, reference):
    """Follows a file and a JSON pointer; complains where either leads nowhere."""
    name, _, pointer = reference.partition("#")
    if name:
        target = HOME / name
        if not target.is_file():
            complaints.append(f"{file}: no file {name}")
            return
        document = load(target)
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(document, dict) or step not in document:
            complaints.append(f"{file}: {reference} leads nowhere")
            return
        document = document[step]


def main():
    by_name = validators()
    for path in sorted(HOME.glob("*.schema.json")):
        schema = load(path)
        for reference in references(schema):
            check_reference(path.name, schema, reference)
    api = yaml.safe_load((HOME / "asyncapi.yaml").read_text())
    for reference in references(api):
        check_reference("asyncapi.yaml", api, reference)
    judged = 0
    for path in sorted((HOME / "examples").glob("*.json")):
        check(path, "valid", by_name[path.name.split(".")[0]])
        judged += 1
    for folder in map(pathlib.Path, sys.argv[1:]):
        paths = sorted(folder.rglob("*.json"))
        if not paths:
            complaints.append(f"{folder}: holds no message")
        for path in paths:
            must, validator = path.parent.name, by_name.get(path.name.split(".")[0])
            if path.parent.parent != folder or must not in MUSTS or validator is None:
                complaints.append(f"{path}: is not named <must>/<schema>.<any>.json")
                continue
            check(path, must, validator)
            judged += 1
    for complaint in complaints:
        print(complaint)
    print(f"{judged} messages, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
