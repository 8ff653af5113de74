"""The systemd units: against the exit codes and times of the code, and by systemd-analyze."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from checks.common import exit_codes, gateway_stop_seconds, seconds, stop_seconds, text

UNIT = "deploy/systemd/attest-worker.service"
GATEWAY = "deploy/systemd/attest-gateway.service"
# What a restart does not cure, by the names in the code; a gateway looks at no schema and no topic.
LASTING = {UNIT: ("usage", "incompatible", "noPermission", "config"),
           GATEWAY: ("usage", "noPermission", "config")}
# A stop of a gateway that has not answered all is none that succeeded.
SUCCESS = {UNIT: ["drainDeadline"], GATEWAY: []}
COMMANDS = {UNIT: "run", GATEWAY: "gateway"}
# systemd's own measure, 0 to 10, the less the better; it was 1.2.
EXPOSURE_MAX = 1.5
# What is the gateway's own beside the worker's; all else that fences a unit in is the same.
OWN = {"ExecStart", "EnvironmentFile", "TimeoutStopSec", "RestartPreventExitStatus",
       "SuccessExitStatus", "Description"}


def check(findings, tools):
    units = {place: read(place) for place in (UNIT, GATEWAY)}
    for place, stop in ((UNIT, stop_seconds()), (GATEWAY, gateway_stop_seconds())):
        check_unit(findings, place, units[place], stop)
    different = {key for key in units[UNIT].keys() | units[GATEWAY].keys()
                 if units[UNIT].get(key) != units[GATEWAY].get(key)}
    findings.expect(different <= OWN, f"{GATEWAY}: other than the worker's: {different - OWN}")
    if not shutil.which("systemd-analyze"):
        findings.skip("systemd-analyze is not there: the units were not verified")
        return
    for place in units:
        analyze(findings, place)


def read(place):
    unit = {}
    for key, value in re.findall(r"(?m)^(\w+)=(.*)$", text(place)):
        unit.setdefault(key, []).append(value)
    return unit


def check_unit(findings, place, unit, stop):
    codes = exit_codes()
    lasting = {codes[name] for name in LASTING[place]}
    prevented = {int(code) for code in unit["RestartPreventExitStatus"][0].split()}
    findings.expect(prevented == lasting,
                    f"{place}: RestartPreventExitStatus is {prevented}, by the code {lasting}")
    findings.expect(unit.get("SuccessExitStatus", [])
                    == [str(codes[name]) for name in SUCCESS[place]],
                    f"{place}: SuccessExitStatus is not the drain deadline's code")
    findings.expect(seconds(unit["TimeoutStopSec"][0]) > stop,
                    f"{place}: a stop may take {stop} s, more than TimeoutStopSec")
    findings.expect(unit["Type"] == ["notify"]
                    and unit["ExecReload"] == ['/bin/sh -c "kill -HUP $MAINPID"'],
                    f"{place}: Type or ExecReload")
    findings.expect(unit["ExecStart"][0].startswith(f"/usr/bin/attest-worker {COMMANDS[place]} "),
                    f"{place}: starts another command")
    findings.expect(f"place 644 {place} " in text("deploy/debian/build-deb.sh"),
                    f"{place}: is not in the package")


def analyze(findings, place):
    with tempfile.TemporaryDirectory() as name:
        # The program and its manual are not installed here.
        copy = pathlib.Path(name) / pathlib.Path(place).name
        copy.write_text(text(place).replace("/usr/bin/attest-worker", "/bin/true")
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
                            f"{place}: exposure {told.group(1)}, more than {EXPOSURE_MAX}")


def run(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True,
                          timeout=60)
