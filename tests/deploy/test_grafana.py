"""The dashboard queries metrics and labels that exist, and shows all that it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.queries import faults, selectors, served

DASHBOARD: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "deploy" / "grafana" / "tablier.json").read_text()
)
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("query", QUERIES)
def test_queries_what_the_service_has(query: str) -> None:
    # Grafana replaces its variables.
    assert list(faults(query.replace("$__rate_interval", "5m"))) == []


def test_shows_the_metrics_of_the_service() -> None:
    shown = {metric.removesuffix("_bucket") for query in QUERIES for metric, _ in selectors(query)}
    own = {name for name in served() if name.startswith(("tablier_s", "tablier_rejected"))}
    assert own - shown == set()
    assert {"grpc_server_handled_total", "grpc_server_handling_seconds"} <= shown


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
