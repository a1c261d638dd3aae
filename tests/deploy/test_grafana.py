"""The dashboard queries metrics and labels that exist, and shows all that it should."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tablier_service.observability.metrics import CallMetrics
from tablier_service.service import Service
from tablier_service.settings import Settings

DASHBOARD: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "deploy" / "grafana" / "tablier.json").read_text()
)
# The labels that Prometheus adds to every sample.
ADDED = {"job", "instance"}


def served() -> dict[str, set[str]]:
    """The samples of a service that has served calls, and their labels."""
    service = Service.assemble(Settings())
    metrics = service.metrics
    for method in service.methods:
        call = CallMetrics(metrics, method.descriptor)
        call.started.inc()
        call.succeeded(0.1)
        call.failed(13)
    metrics.process.set(1)
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(metrics.exposition().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


SERVED = served()
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def names_in(query: str) -> list[str]:
    """The metrics in a query: the words before a brace."""
    return re.findall(r"([a-z_]+)\{", query)


@pytest.mark.parametrize("query", QUERIES)
def test_queries_metrics_that_exist(query: str) -> None:
    names = names_in(query)
    assert names
    for name in names:
        assert name in SERVED
        asked = set(re.findall(r"([a-z_]+)(?:=~|!=|=)\"", query))
        asked.update(part.strip() for by in re.findall(r"by \(([^)]*)\)", query)
                     for part in by.split(","))  # fmt: skip
        assert asked - ADDED <= SERVED[name]


def test_shows_the_metrics_of_the_service() -> None:
    shown = {name.removesuffix("_bucket") for query in QUERIES for name in names_in(query)}
    own = {name for name in SERVED if name.startswith(("tablier_s", "tablier_rejected"))}
    assert own - shown == set()
    assert {"grpc_server_handled_total", "grpc_server_handling_seconds"} <= shown


def test_queries_labels_that_exist() -> None:
    services = set(re.findall(r'grpc_service="([^"]*)"', " ".join(QUERIES)))
    assert services == {"tablier.v1.GameService", "tablier.v1.AdvisorService"}


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        taken |= cells
    assert max(x for x, _ in taken) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
