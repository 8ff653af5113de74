"""The settings files that are shipped: the program takes each of them."""

import os
import pathlib
import subprocess
import tempfile

from checks.common import text

FILES = ("deploy/compose/attest.json5", "deploy/compose/gateway.json5",
         "deploy/kubernetes/example/attest.json5", "deploy/kubernetes/example-gateway/attest.json5",
         "deploy/kubernetes/example-gateway/gateway.json5", "deploy/debian/attest.json5")
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
        (folder / "secret").write_text("thirty-two bytes or more, of no worth whatever\n")
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-out", folder / "token.pem"],
                       check=True, capture_output=True)
        # As the deployments give them: tokens and signed challenges need their secrets.
        secrets = {"ATTEST_CHALLENGES__SECRET_FILE": str(folder / "secret"),
                   "ATTEST_ARTIFACTS__SECRET_FILE": str(folder / "secret"),
                   "ATTEST_TOKENS__KEY_FILES": str(folder / "token.pem")}
        for file in FILES:
            environment = clean | secrets if "tokens: { issuer" in text(file) else clean
            copy = folder / "attest.json5"
            copy.write_text(text(file).replace(ROOT_PATH, str(folder / "root.pem")))
            done = run(program, environment, "config", f"--config={copy}")
            findings.expect(done.returncode == 0, f"{file}: {done.stderr}")


def run(program, environment, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60,
                          env=environment)
