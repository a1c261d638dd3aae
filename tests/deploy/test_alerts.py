"""The alert rules query what the service has, and every rule is tested and explained.

`make alerts` also checks them with promtool, and runs their tests.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.queries import ADDED_LABELS, faults, groupings, selectors, served

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "prometheus"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
]
TESTS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts_test.yaml").read_text())["tests"]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])


@every_rule
def test_queries_what_the_service_has(rule: dict[str, Any]) -> None:
    assert list(faults(rule["expr"])) == []
    for _, conditions in selectors(rule["expr"]):
        assert ("job", "=", "tablier") in conditions


@every_rule
def test_messages_use_labels_that_the_alert_has(rule: dict[str, Any]) -> None:
    metrics = {metric for metric, _ in selectors(rule["expr"])}
    kept = groupings(rule["expr"]) or ADDED_LABELS.union(*(served().get(m, {}) for m in metrics))
    text = " ".join(rule["annotations"].values())
    assert set(re.findall(r"\$labels\.(\w+)", text)) <= kept
    assert rule["annotations"]["summary"]
    assert rule["labels"]["severity"] in ("critical", "warning")


@every_rule
def test_has_a_test_in_which_it_fires(rule: dict[str, Any]) -> None:
    cases = [case for test in TESTS for case in test.get("alert_rule_test", ())]
    assert any(case["alertname"] == rule["alert"] and case.get("exp_alerts") for case in cases)


def test_the_tests_use_metrics_that_the_service_has() -> None:
    series = [each["series"] for test in TESTS for each in test.get("input_series", ())]
    ours = [text for text in series if 'job="tablier"' in text]
    assert len(ours) > 20
    assert {text: found for text in ours if (found := list(faults(text)))} == {}


def test_every_rule_is_explained() -> None:
    page = (ROOT / "docs" / "operations.md").read_text().split("\n## Alerts\n")[1]
    explained = re.findall(r"^\| `(\w+)` \|", page.split("\n## ")[0], re.MULTILINE)
    assert explained == [rule["alert"] for rule in RULES]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ('tablier_queue{job="tablier"}', "no metric tablier_queue"),
        ('rate(tablier_rejected_calls_total{why="calls"}[5m])', "has no label why"),
        ('sum by (reason) (tablier_workers_serving{job="a"})', "has no label reason"),
        ('up{job="a"} or tablier_workers_serving', "a metric without braces"),
        ('tablier_rejected_calls_total{reason=~"calls|load"}', 'never has reason="load"'),
        ("vector(1)", "no metric"),
    ],
)
def test_finds_what_the_service_does_not_have(query: str, fault: str) -> None:
    assert fault in " ".join(faults(query))
