"""The systemd unit: against the exit codes and times of the code, and by systemd-analyze."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from checks.common import exit_codes, seconds, stop_seconds, text

UNIT = "deploy/systemd/attest-worker.service"
# What a restart does not cure, by the names in the code.
LASTING = ("usage", "incompatible", "noPermission", "config")
# systemd's own measure, 0 to 10, the less the better; it was 1.2.
EXPOSURE_MAX = 1.5


def check(findings, tools):
    unit = {}
    for key, value in re.findall(r"(?m)^(\w+)=(.*)$", text(UNIT)):
        unit.setdefault(key, []).append(value)
    codes = exit_codes()
    lasting = {codes[name] for name in LASTING}
    prevented = {int(code) for code in unit["RestartPreventExitStatus"][0].split()}
    findings.expect(prevented == lasting,
                    f"{UNIT}: RestartPreventExitStatus is {prevented}, by the code {lasting}")
    findings.expect(unit["SuccessExitStatus"] == [str(codes["drainDeadline"])],
                    f"{UNIT}: SuccessExitStatus is not the drain deadline's code")
    findings.expect(seconds(unit["TimeoutStopSec"][0]) > stop_seconds(),
                    f"{UNIT}: a stop may take {stop_seconds()} s, more than TimeoutStopSec")
    findings.expect(unit["Type"] == ["notify"]
                    and unit["ExecReload"] == ['/bin/sh -c "kill -HUP $MAINPID"'],
                    f"{UNIT}: Type or ExecReload")
    if not shutil.which("systemd-analyze"):
        findings.skip("systemd-analyze is not there: the unit was not verified")
        return
    with tempfile.TemporaryDirectory() as name:
        # The program and its manual are not installed here.
        copy = pathlib.Path(name) / "attest-worker.service"
        copy.write_text(text(UNIT).replace("/usr/bin/attest-worker", "/bin/true")
                        .replace("man:attest-worker(1) ", ""))
        done = run("verify", copy)
        findings.expect(done.returncode == 0 and not done.stderr.strip(),
                        f"systemd-analyze verify: {done.stderr}")
        done = run("security", "--offline=true", copy)
        told = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
        if told is None:
            findings.skip("this systemd-analyze can't judge a unit's security offline")
        else:
            findings.expect(float(told.group(1)) <= EXPOSURE_MAX,
                            f"{UNIT}: exposure {told.group(1)}, more than {EXPOSURE_MAX}")


def run(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True,
                          timeout=60)
