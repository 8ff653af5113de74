"""kubernetes/: by Kubernetes' schemas, and against the settings and the endpoints."""

import re
import subprocess

import yaml

from checks.common import (DEPLOY, ROOT, is_known_variable, listen_port, seconds, settings,
                           stop_seconds, text)

FOLDER = DEPLOY / "kubernetes"
# The oldest that is supported by its makers as this is written, and one that is newer.
VERSIONS = ("1.31", "1.35")
CUSTOM = {"monitoring.coreos.com/v1", "keda.sh/v1alpha1"}
UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def load(path):
    return [part for part in yaml.safe_load_all(path.read_text()) if part is not None]


def size(value):
    number, unit = re.fullmatch(r"(\d+)(\w+)", value).groups()
    return int(number) * UNITS[unit]


def check(findings, tools):
    objects = {}
    plain = []
    for path in sorted(FOLDER.rglob("*.yaml")):
        parts = load(path)
        findings.expect(len(parts) == 1, f"{path.relative_to(ROOT)}: not one object")
        part = parts[0]
        if path.name == "kustomization.yaml":
            check_kustomization(findings, path, part)
            continue
        objects[part["kind"]] = part
        listed = load(path.parent / "kustomization.yaml")[0]["resources"]
        findings.expect(path.name in listed, f"{path.relative_to(ROOT)} is in no kustomization")
        if part["apiVersion"] not in CUSTOM:
            plain.append(path)
    validate(findings, tools, plain)
    made = generated()
    for kind in ("Deployment", "Job"):
        check_pod(findings, kind, objects[kind]["spec"]["template"], made)
    canary = objects["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]
    check_pod(findings, "CronJob", canary, made)
    check_workers(findings, objects)


def validate(findings, tools, paths):
    program = tools / "python/bin/kubernetes-validate"
    if not program.exists():
        findings.skip("kubernetes-validate can't be had: no schema was held against kubernetes/")
        return
    for version in VERSIONS:
        done = subprocess.run([program, "--strict", "--quiet", "-k", version, *paths],
                              capture_output=True, text=True, timeout=120)
        findings.expect(done.returncode == 0, f"Kubernetes {version}: {done.stdout}{done.stderr}")


def check_kustomization(findings, path, part):
    place = path.relative_to(ROOT)
    kinds = {"kustomize.config.k8s.io/v1beta1": "Kustomization",
             "kustomize.config.k8s.io/v1alpha1": "Component"}
    findings.expect(kinds.get(part["apiVersion"]) == part["kind"], f"{place}: kind or version")
    for name in part.get("resources", []) + part.get("components", []):
        findings.expect((path.parent / name).exists(), f"{place}: there is no {name}")
    ignored = text(".gitignore")
    for generator in part.get("secretGenerator", []):
        for name in generator["files"]:
            secret = (path.parent / name.split("=")[-1]).relative_to(ROOT)
            findings.expect(f"/{secret}\n" in ignored, f"{secret} is not ignored by git")


def generated():
    """Which files the ConfigMaps and Secrets have that the kustomizations make."""
    made = {}
    for path in FOLDER.rglob("kustomization.yaml"):
        part = load(path)[0]
        for entry in part.get("configMapGenerator", []) + part.get("secretGenerator", []):
            made[entry["name"]] = [name.split("=")[0] for name in entry["files"]]
    return made


def check_pod(findings, kind, template, made):
    place = f"kubernetes/ {kind}"
    pod = template["spec"]
    context = pod["securityContext"]
    findings.expect(context["runAsNonRoot"] and context["runAsUser"] > 0
                    and context["seccompProfile"]["type"] == "RuntimeDefault"
                    and pod["automountServiceAccountToken"] is False, f"{place}: runs with rights")
    user = int(re.search(r"(?m)^USER (\d+)", text("deploy/Dockerfile")).group(1))
    findings.expect(context["runAsUser"] == user, f"{place}: another user than the image's")
    container = pod["containers"][0]
    own = container["securityContext"]
    findings.expect(own["readOnlyRootFilesystem"] and own["allowPrivilegeEscalation"] is False
                    and own["capabilities"] == {"drop": ["ALL"]}, f"{place}: container's rights")
    findings.expect({"cpu", "memory"} <= container["resources"]["requests"].keys()
                    and "memory" in container["resources"]["limits"], f"{place}: resources")
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    findings.expect(mounts.keys() == {volume["name"] for volume in pod["volumes"]},
                    f"{place}: volumes and mounts differ")
    files = set()
    for volume in pod["volumes"]:
        name = volume.get("configMap", {}).get("name") or volume["secret"]["secretName"]
        findings.expect(name in made, f"{place}: nobody makes {name}")
        files |= {f"{mounts[volume['name']]}/{file}" for file in made.get(name, [])}
    for argument in container["args"]:
        value = argument.split("=")[-1]
        findings.expect(not value.startswith("/") or value in files,
                        f"{place}: {argument} names what is not mounted")
    for variable in container["env"]:
        name, value = variable["name"], variable.get("value", "")
        findings.expect(not name.startswith("ATTEST_") or is_known_variable(name),
                        f"{place}: no setting has the variable {name}")
        if value.startswith("/"):
            findings.expect(value in files, f"{place}: {name} names {value}, which is not mounted")


def check_workers(findings, objects):
    spec = objects["Deployment"]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    variables = {entry["name"]: entry.get("value") for entry in container["env"]}
    selectors = {
        "Deployment": spec["selector"], "PodDisruptionBudget":
            objects["PodDisruptionBudget"]["spec"]["selector"],
        "NetworkPolicy": objects["NetworkPolicy"]["spec"]["podSelector"],
        "PodMonitor": objects["PodMonitor"]["spec"]["selector"],
        "topology": pod["topologySpreadConstraints"][0]["labelSelector"],
    }
    for kind, selector in selectors.items():
        chosen = selector["matchLabels"]
        findings.expect(chosen and chosen.items() <= labels.items(),
                        f"kubernetes/ {kind}: does not select the workers")
    job = objects["Job"]["spec"]["template"]["metadata"]["labels"]
    findings.expect(not spec["selector"]["matchLabels"].items() <= job.items(),
                    "kubernetes/: the Deployment selects the migration's pod, too")
    findings.expect(pod["terminationGracePeriodSeconds"] > stop_seconds(),
                    f"kubernetes/: a stop may take {stop_seconds()} s, more than the grace period")
    check_ports(findings, objects, container, variables)

    lanes = int(variables["ATTEST_WORKER__LANES"])
    ahead = lanes * size(settings()["kafka.prefetchBytesMax"])
    findings.expect(size(container["resources"]["limits"]["memory"]) >= 2 * ahead + 128 * 2**20,
                    "kubernetes/: records fetched ahead may take more memory than the limit")
    findings.expect(int(container["resources"]["requests"]["cpu"]) == lanes,
                    "kubernetes/: not one processor a lane")
    scaled = objects["ScaledObject"]
    partitions = int(scaled["metadata"]["annotations"]["attest-worker/partitions"])
    findings.expect(scaled["spec"]["maxReplicaCount"] * lanes <= partitions,
                    "kubernetes/ ScaledObject: more lanes than partitions")
    findings.expect(scaled["spec"]["minReplicaCount"] >= 1, "kubernetes/ ScaledObject: down to 0")
    trigger = scaled["spec"]["triggers"][0]["metadata"]
    defaults = settings()
    findings.expect(trigger["consumerGroup"] == defaults["kafka.groupId"]
                    and trigger["topic"] == defaults["kafka.topics.requests"].strip('[]"'),
                    "kubernetes/ ScaledObject: another group or topic than the default's")
    findings.expect(all(isinstance(value, str) for value in trigger.values()),
                    "kubernetes/ ScaledObject: metadata must be texts")


def check_ports(findings, objects, container, variables):
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    listen = int(variables["ATTEST_OPERATIONS__LISTEN"].rsplit(":", 1)[1])
    findings.expect(ports == {"operations": listen} and listen == listen_port(),
                    "kubernetes/: the container's port is not the one of the endpoints")
    endpoints = endpoint_paths()
    probes = {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
    for probe, path in probes.items():
        asked = container[probe]["httpGet"]
        findings.expect(asked["path"] == path and asked["port"] in ports,
                        f"kubernetes/ {probe}: {asked}")
        findings.expect(endpoints is None or asked["path"] in endpoints,
                        f"kubernetes/ {probe}: there is no {asked['path']}")
    monitor = objects["PodMonitor"]["spec"]["podMetricsEndpoints"][0]
    allowed = objects["NetworkPolicy"]["spec"]["ingress"][0]["ports"][0]["port"]
    findings.expect(monitor["port"] in ports and allowed in ports,
                    "kubernetes/: PodMonitor or NetworkPolicy name another port")
    findings.expect(endpoints is None or monitor["path"] in endpoints, "PodMonitor: path")


def endpoint_paths():
    """What is answered, by the code; None while nothing is."""
    path = ROOT / "Sources/Operations/Endpoints.swift"
    return set(re.findall(r'"(/\w+)"', path.read_text())) if path.exists() else None
