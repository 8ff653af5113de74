"""The Dockerfile: the libraries of the manifest, no root, a context that has what is copied."""

import fnmatch
import re

from checks.common import ROOT, text

FILE = "deploy/Dockerfile"
# The package that a program linked with a development package needs to run, in Debian 12.
RUNTIME = {
    "libcurl4-openssl-dev": "libcurl4", "libmicrohttpd-dev": "libmicrohttpd12",
    "libpq-dev": "libpq5", "librdkafka-dev": "librdkafka1", "libssl-dev": "libssl3",
}


def development_packages():
    """Those that the manifest's C libraries come from."""
    return set(re.findall(r'\.apt\(\["([^"]+)"\]\)', text("Package.swift")))


def check(findings, tools):
    file = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text(FILE)))
    build, runtime = re.split(r"(?m)^FROM \$\{RUNTIME_IMAGE\}", file)
    installed = set(re.search(r"apt-get install (.*?)&&", runtime).group(1).split())
    for package in development_packages():
        findings.expect(package in RUNTIME and RUNTIME[package] in installed,
                        f"{FILE}: the runtime's package of {package} is not installed")
        findings.expect(re.search(rf"\b{package}\b", text("deploy/install-dependencies.sh")),
                        f"install-dependencies.sh does not install {package}")
    findings.expect(installed <= set(RUNTIME.values()) | {"-y", "--no-install-recommends",
                                                          "ca-certificates"},
                    f"{FILE}: installs more than the program needs")
    user = re.search(r"(?m)^USER (\d+):(\d+)$", runtime)
    findings.expect(user and int(user.group(1)) > 0 and int(user.group(2)) > 0,
                    f"{FILE}: the user is no number, or root's")
    for key in ("ENTRYPOINT", "HEALTHCHECK", "EXPOSE", "LABEL"):
        findings.expect(re.search(rf"(?m)^{key} ", runtime), f"{FILE}: no {key}")
    context(findings, file)


def context(findings, file):
    """What is copied exists and is not ignored."""
    lines = [line for line in text(".dockerignore").splitlines() if line and line[0] != "#"]
    findings.expect(lines[0] == "*", ".dockerignore: does not begin with *")
    kept = [line[1:] for line in lines[1:]]
    for copied in re.findall(r"(?m)^COPY (?!--from)(.*)$", file):
        for source in copied.split()[:-1]:
            findings.expect((ROOT / source).exists(), f"{FILE}: there is no {source}")
            findings.expect(any(fnmatch.fnmatch(source, pattern) for pattern in kept),
                            f".dockerignore leaves out {source}")
    for link in (path for path in (ROOT / "Sources").rglob("*") if path.is_symlink()):
        target = link.resolve().relative_to(ROOT)
        findings.expect(any(target.is_relative_to(pattern) for pattern in kept),
                        f".dockerignore leaves out {target}, which {link.relative_to(ROOT)} is")
    for pattern in kept:
        findings.expect((ROOT / pattern).exists(), f".dockerignore: there is no {pattern}")
