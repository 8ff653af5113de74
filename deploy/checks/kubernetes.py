"""kubernetes/: by Kubernetes' schemas, and against the settings and the endpoints."""

import re
import subprocess

import yaml

from checks.common import (DEPLOY, ROOT, gateway_stop_seconds, is_known_variable, listen_port,
                           settings, stop_seconds, text)

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
    objects, gateway = {}, {}
    plain = []
    for path in sorted(FOLDER.rglob("*.yaml")):
        parts = load(path)
        findings.expect(len(parts) == 1, f"{path.relative_to(ROOT)}: not one object")
        part = parts[0]
        if path.name == "kustomization.yaml":
            check_kustomization(findings, path, part)
            continue
        if part["metadata"]["name"].startswith("attest-gateway"):
            # Of two Services the one that has ports is meant.
            if part["kind"] != "Service" or "ports" in part["spec"]:
                gateway[part["kind"]] = part
        else:
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
    check_pod(findings, "StatefulSet", gateway["StatefulSet"]["spec"]["template"], made)
    check_gateway(findings, gateway)
    check_token_files(findings, objects, made)


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
    """Which files the ConfigMaps and Secrets have that the kustomizations make, any of them."""
    made = {}
    for path in FOLDER.rglob("kustomization.yaml"):
        part = load(path)[0]
        for entry in part.get("configMapGenerator", []) + part.get("secretGenerator", []):
            made.setdefault(entry["name"], []).extend(
                name.split("=")[0] for name in entry["files"])
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
    check_probes(findings, objects, container, ports)


def check_probes(findings, objects, container, ports):
    endpoints = endpoint_paths()
    probes = {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
    for probe, path in probes.items():
        asked = container[probe]["httpGet"]
        findings.expect(asked["path"] == path and asked["port"] == "operations",
                        f"kubernetes/ {container['name']} {probe}: {asked}")
        findings.expect(endpoints is None or asked["path"] in endpoints,
                        f"kubernetes/ {probe}: there is no {asked['path']}")
    monitor = objects["PodMonitor"]["spec"]["podMetricsEndpoints"][0]
    allowed = [rule["ports"][0]["port"] for rule in objects["NetworkPolicy"]["spec"]["ingress"]]
    findings.expect(monitor["port"] == "operations" and set(allowed) == ports.keys(),
                    f"kubernetes/ {container['name']}: PodMonitor or NetworkPolicy name another"
                    " port")
    findings.expect(endpoints is None or monitor["path"] in endpoints, "PodMonitor: path")


def check_gateway(findings, objects):
    """The gateway's own: a partition of its own each, no secret of a worker's, time to answer."""
    place = "kubernetes/ gateway"
    stateful = objects["StatefulSet"]
    spec = stateful["spec"]
    labels = spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    variables = {entry["name"]: entry.get("value") for entry in container["env"]}
    chosen = [spec["selector"]["matchLabels"], objects["Service"]["spec"]["selector"],
              pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]]
    chosen += [objects[kind]["spec"][word]["matchLabels"]
               for kind, word in (("PodDisruptionBudget", "selector"),
                                  ("NetworkPolicy", "podSelector"), ("PodMonitor", "selector"))]
    findings.expect(all(one and one.items() <= labels.items() for one in chosen),
                    f"{place}: not everything selects its pods")
    findings.expect(labels["app.kubernetes.io/name"] != "attest-worker",
                    f"{place}: the workers' NetworkPolicy opens the database to it")
    partition = next(entry for entry in container["env"]
                     if entry["name"] == "ATTEST_GATEWAY__REPLY_PARTITION")
    field = partition.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
    partitions = int(stateful["metadata"]["annotations"]["attest-worker/reply-partitions"])
    findings.expect("pod-index" in field and 2 <= spec["replicas"] <= partitions,
                    f"{place}: two instances would read one partition, or one that is not there")
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    findings.expect(pod["terminationGracePeriodSeconds"] > pause + gateway_stop_seconds(),
                    f"{place}: a stop may take longer than the grace period")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    listens = {name: int(variables[f"ATTEST_{key}__LISTEN"].rsplit(":", 1)[1])
               for name, key in (("http", "GATEWAY"), ("operations", "OPERATIONS"))}
    findings.expect(ports == listens and ports["operations"] == listen_port(),
                    f"{place}: the container's ports are not those it listens on")
    findings.expect(objects["Service"]["spec"]["ports"][0]["targetPort"] == "http",
                    f"{place}: the Service leads to another port")
    check_probes(findings, objects, container, ports)
    defaults = settings()
    bodies = int(defaults["gateway.connectionsMax"]) * size(defaults["gateway.bodyBytesMax"])
    findings.expect(size(container["resources"]["limits"]["memory"]) >= bodies + 128 * 2**20,
                    f"{place}: bodies of requests may take more memory than the limit")
    secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
    findings.expect(secrets == {"attest-gateway-secrets"}, f"{place}: has the secrets {secrets}")


def check_token_files(findings, objects, made):
    """What the component gateway adds to the workers: files of secrets that somebody makes."""
    place = "kubernetes/components/gateway"
    known = {("Deployment", "attest-worker"), ("Job", "attest-worker-migrate"),
             ("CronJob", "attest-worker-canary")}
    met = set()
    for patch in load(FOLDER / "components/gateway/kustomization.yaml")[0]["patches"]:
        target = patch["target"]
        met |= {(kind, name) for kind, name in known if re.fullmatch(target["kind"], kind)
                and re.fullmatch(target["name"], name)}
        values = [step["value"] for step in yaml.safe_load(patch["patch"])]
        mount = next(value for value in values if "mountPath" in value)
        volume = next(value for value in values if "secret" in value)
        findings.expect(mount["name"] == volume["name"] and mount["readOnly"],
                        f"{place}: volume and mount differ")
        files = {f"{mount['mountPath']}/{name}" for name in made[volume["secret"]["secretName"]]}
        named = set()
        for name, value in ((value["name"], value["value"]) for value in values
                            if "value" in value):
            findings.expect(is_known_variable(name), f"{place}: no setting has {name}")
            named |= set(value.split(",")) if value.startswith("/") else set()
        findings.expect(named == files, f"{place}: {named} are named, {files} are mounted")
        topic = next(value["value"] for value in values if value["name"].endswith("__REPLIES"))
        settings_file = text("deploy/kubernetes/example-gateway/gateway.json5")
        findings.expect(f'replies: "{topic}"' in settings_file,
                        f"{place}: gateways and workers differ in the reply topic")
    findings.expect(met == known, f"{place}: patches {met}")
    for kind, name in known:
        findings.expect(objects[kind]["metadata"]["name"] == name, f"{place}: no {kind} {name}")


def endpoint_paths():
    """What is answered, by the code; None while nothing is."""
    path = ROOT / "Sources/Operations/Endpoints.swift"
    return set(re.findall(r'"(/\w+)"', path.read_text())) if path.exists() else None
