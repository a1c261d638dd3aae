"""The manifests are valid by the schemas of Kubernetes, and agree with the service."""

from __future__ import annotations

import copy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from tablier_service.settings import Settings

from tests.deploy.queries import served

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
VERSION = "1.33"
SIZES = ("small", "medium", "large")
MIB = {"Mi": 1, "Gi": 1024}


def load(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text())


def literals(kustomization: Any) -> dict[str, str]:
    """The settings that a kustomization generates."""
    return dict(line.split("=") for line in kustomization["configMapGenerator"][0]["literals"])


KUSTOMIZATION = load("base/kustomization.yaml")
MANIFESTS: dict[str, Any] = {name: load(f"base/{name}") for name in KUSTOMIZATION["resources"]}
POD = MANIFESTS["deployment.yaml"]["spec"]["template"]["spec"]
CONTAINER = POD["containers"][0]
SET = {
    **literals(KUSTOMIZATION),
    **{variable["name"]: variable["value"] for variable in CONTAINER["env"]},
}


def overlaid(size: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The manifests and settings of an overlay, by the kinds of patches that ours have."""
    kustomization = load(f"overlays/{size}/kustomization.yaml")
    assert kustomization["resources"] == ["../../base"]
    manifests = copy.deepcopy(MANIFESTS)
    for patch in kustomization["patches"]:
        kind, name = patch["target"]["kind"], patch["target"]["name"]
        (target,) = (
            manifest
            for manifest in manifests.values()
            if (manifest["kind"], manifest["metadata"]["name"]) == (kind, name)
        )
        for operation in yaml.safe_load(patch["patch"]):
            assert operation["op"] == "replace"
            *steps, last = operation["path"].strip("/").split("/")
            place = target
            for step in steps:
                place = place[int(step)] if step.isdigit() else place[step]
            # What is replaced must exist.
            assert last in place
            place[last] = operation["value"]
    return manifests, SET | literals(kustomization)


@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_valid_and_fits(size: str) -> None:
    manifests, settings = overlaid(size)
    for manifest in manifests.values():
        kubernetes_validate.validate(manifest, VERSION, strict=True)
    resources = manifests["deployment.yaml"]["spec"]["template"]["spec"]["containers"][0][
        "resources"
    ]
    workers, slots = int(settings["TABLIER_WORKERS"]), int(settings["TABLIER_SEARCH_SLOTS"])
    check_memory(resources, workers, slots)
    # With one core, searches have what cheap calls leave.
    assert int(resources["requests"]["cpu"]) >= max(workers, slots)
    scaled = manifests["autoscaler.yaml"]["spec"]
    assert 1 <= scaled["minReplicas"] < scaled["maxReplicas"]
    assert settings.keys() == SET.keys()


def test_the_sizes_differ_and_the_base_is_one_of_them() -> None:
    found = [overlaid(size) for size in SIZES]
    assert found[1] == (MANIFESTS, SET)
    assert found[0] != found[1] != found[2]
    assert {path.name for path in (FOLDER / "overlays").iterdir()} == set(SIZES)


@pytest.mark.skipif(shutil.which("kustomize") is None, reason="`make manifests` requires kustomize")
@pytest.mark.parametrize("name", ["base", *(f"overlays/{size}" for size in SIZES)])
def test_kustomize_renders_valid_manifests(name: str) -> None:
    built = subprocess.run(
        ["kustomize", "build", FOLDER / name], check=True, capture_output=True, text=True
    )
    rendered = {manifest["kind"]: manifest for manifest in yaml.safe_load_all(built.stdout)}
    for manifest in rendered.values():
        kubernetes_validate.validate(manifest, VERSION, strict=True)
    manifests, settings = (MANIFESTS, SET) if name == "base" else overlaid(Path(name).name)
    assert rendered.keys() == {"ConfigMap", *(each["kind"] for each in manifests.values())}
    assert rendered["ConfigMap"]["data"].items() <= settings.items()
    assert rendered["HorizontalPodAutoscaler"]["spec"] == manifests["autoscaler.yaml"]["spec"]
    pod = rendered["Deployment"]["spec"]["template"]["spec"]
    expected = manifests["deployment.yaml"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["resources"] == expected["containers"][0]["resources"]


def test_scales_on_a_metric_that_the_service_and_the_adapter_have() -> None:
    metrics = MANIFESTS["autoscaler.yaml"]["spec"]["metrics"]
    (queue,) = (each["pods"]["metric"]["name"] for each in metrics if each["type"] == "Pods")
    assert queue in served()
    (rule,) = load("prometheus-adapter.yaml")["rules"]["custom"]
    assert rule["seriesQuery"].startswith(queue + "{")
    assert rule["resources"]["overrides"].keys() == {"namespace", "pod"}
    assert {each["type"] for each in metrics} == {"Resource", "Pods"}


@pytest.mark.parametrize("name", MANIFESTS)
def test_is_valid(name: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], VERSION, strict=True)


def test_every_manifest_is_applied() -> None:
    files = {path.name for path in (FOLDER / "base").iterdir()}
    assert files == {"kustomization.yaml", *MANIFESTS}
    kinds = {manifest["kind"] for manifest in MANIFESTS.values()}
    assert kinds == {
        *("Namespace", "Deployment", "Service", "HorizontalPodAutoscaler"),
        *("PodDisruptionBudget", "NetworkPolicy"),
    }


def test_uses_settings_that_exist() -> None:
    prefix = Settings.model_config["env_prefix"]
    assert {name.removeprefix(prefix).lower() for name in SET} <= Settings.model_fields.keys()
    mounts = tuple(mount["mountPath"] for mount in CONTAINER["volumeMounts"])
    assert all(value.startswith(mounts) for value in SET.values() if value.startswith("/"))
    named = {mount["name"] for mount in CONTAINER["volumeMounts"]}
    assert named == {volume["name"] for volume in POD["volumes"]}


def test_other_services_cannot_change_the_settings() -> None:
    """A Service named tablier-grpc would set TABLIER_GRPC_PORT to its own address."""
    assert POD["enableServiceLinks"] is False


def test_a_stop_has_enough_time_to_drain() -> None:
    stop = CONTAINER["lifecycle"]["preStop"]["sleep"]["seconds"]
    stop += float(SET["TABLIER_DRAIN_DELAY_SECONDS"]) + float(SET["TABLIER_DRAIN_SECONDS"])
    assert POD["terminationGracePeriodSeconds"] > stop


def test_uses_the_ports_of_the_servers() -> None:
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    fields = Settings.model_fields
    assert ports == {"grpc": fields["grpc_port"].default, "http": fields["http_port"].default}
    served = {port["name"]: port["port"] for port in MANIFESTS["service.yaml"]["spec"]["ports"]}
    assert served == ports
    assert CONTAINER["readinessProbe"]["grpc"]["port"] == ports["grpc"]
    rules = MANIFESTS["network.yaml"]["spec"]["ingress"]
    assert [port["port"] for port in rules[0]["ports"]] == ["grpc", "http"]


def test_selectors_find_the_pods() -> None:
    labels = MANIFESTS["deployment.yaml"]["spec"]["template"]["metadata"]["labels"]
    for selector in (
        MANIFESTS["deployment.yaml"]["spec"]["selector"]["matchLabels"],
        MANIFESTS["service.yaml"]["spec"]["selector"],
        MANIFESTS["disruption.yaml"]["spec"]["selector"]["matchLabels"],
        MANIFESTS["network.yaml"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector
        assert selector.items() <= labels.items()
    target = MANIFESTS["autoscaler.yaml"]["spec"]["scaleTargetRef"]
    assert target["name"] == MANIFESTS["deployment.yaml"]["metadata"]["name"]


def test_the_container_has_no_privileges() -> None:
    context = CONTAINER["securityContext"]
    assert context["readOnlyRootFilesystem"]
    assert not context["allowPrivilegeEscalation"]
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert POD["securityContext"]["runAsNonRoot"]


def check_memory(resources: Any, workers: int, slots: int) -> None:
    """80 MB for each worker, which is its limit, and for the supervisor; the limit also has room
    for searches.
    """
    needed = 80 * (workers + 1)
    requested, limit = (megabytes(resources[kind]["memory"]) for kind in ("requests", "limits"))
    assert requested >= needed
    assert limit >= needed + 64 * slots


def megabytes(quantity: str) -> int:
    """A quantity of memory."""
    return int(quantity[:-2]) * MIB[quantity[-2:]]


def test_has_enough_memory_for_all_workers() -> None:
    workers, slots = int(SET["TABLIER_WORKERS"]), int(SET["TABLIER_SEARCH_SLOTS"])
    check_memory(CONTAINER["resources"], workers, slots)
