"""The settings files that are shipped: the program takes each of them."""

import os
import pathlib
import subprocess
import tempfile

from checks.common import text

FILES = ("deploy/compose/attest.json5", "deploy/kubernetes/example/attest.json5",
         "deploy/debian/attest.json5")
ROOT_PATH = "/var/lib/simulated-root/root.pem"


def check(findings, program):
    if program is None:
        findings.skip("the program is not built: it was not asked for the settings that are shipped")
        return
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ATTEST_")}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        root = run(program, clean, "simulate", "--print-root", "--seed=1", "--insecure-seed")
        (folder / "root.pem").write_text(root.stdout)
        for file in FILES:
            copy = folder / "attest.json5"
            copy.write_text(text(file).replace(ROOT_PATH, str(folder / "root.pem")))
            done = run(program, clean, "config", f"--config={copy}")
            findings.expect(done.returncode == 0, f"{file}: {done.stderr}")


def run(program, environment, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60,
                          env=environment)
