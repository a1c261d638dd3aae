"""The manifests are valid by the schemas of Kubernetes, and agree with the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from tablier_service.settings import Settings

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
VERSION = "1.33"


def load(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text())


KUSTOMIZATION = load("kustomization.yaml")
MANIFESTS: dict[str, Any] = {name: load(name) for name in KUSTOMIZATION["resources"]}
POD = MANIFESTS["deployment.yaml"]["spec"]["template"]["spec"]
CONTAINER = POD["containers"][0]
SET = {
    **dict(line.split("=") for line in KUSTOMIZATION["configMapGenerator"][0]["literals"]),
    **{variable["name"]: variable["value"] for variable in CONTAINER["env"]},
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_is_valid(name: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], VERSION, strict=True)


def test_every_manifest_is_applied() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {"kustomization.yaml", *MANIFESTS}
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


def test_has_enough_memory_for_all_workers() -> None:
    """80 MB for each worker, which is its limit, and for the supervisor."""
    needed = 80 * (int(SET["TABLIER_WORKERS"]) + 1)
    limits = (
        CONTAINER["resources"]["limits"]["memory"],
        CONTAINER["resources"]["requests"]["memory"],
    )
    assert all(int(limit.removesuffix("Mi")) >= needed for limit in limits)
