"""What Prometheus queries name: metrics, labels and values, and those that the service has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import NamedTuple

from google.rpc import code_pb2
from prometheus_client.parser import text_string_to_metric_families
from tablier_service.observability.metrics import CallMetrics
from tablier_service.service import Service
from tablier_service.settings import Settings

# What Prometheus adds: labels of every sample, and a metric for every target.
ADDED_LABELS = {"job", "instance"}
ADDED_METRIC = "up"
WORDS = {"by", "offset", "or", "unless"}
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*\{(.*?)\}", re.DOTALL)
MATCHER = re.compile(r'\s*(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*(?:,|$)')

Labels = dict[str, set[str]]


class Selector(NamedTuple):
    """A metric in a query, with the conditions on its labels."""

    metric: str
    matchers: list[tuple[str, str, str]]


@cache
def served() -> dict[str, Labels]:
    """The samples of a service that has served calls: for each, the values of its labels."""
    with closing(Service.assemble(Settings())) as service:
        metrics = service.metrics
        for method in service.methods:
            call = CallMetrics(metrics, method.descriptor)
            call.started.inc()
            call.succeeded(0.1)
            for code in code_pb2.Code.values():
                call.failed(code)
        metrics.process.set(1)
        exposition = metrics.exposition().decode()
    found: dict[str, Labels] = {}
    for family in text_string_to_metric_families(exposition):
        for sample in family.samples:
            labels = found.setdefault(sample.name, {})
            for label, value in sample.labels.items():
                labels.setdefault(label, set()).add(value)
    return found


def selectors(query: str) -> list[Selector]:
    """The metrics of a query; each must have braces."""
    return [Selector(name, matchers(text)) for name, text in SELECTOR.findall(query)]


def matchers(text: str) -> list[tuple[str, str, str]]:
    """The conditions between braces."""
    found = MATCHER.findall(text)
    assert MATCHER.sub("", text).strip() == "", f"not understood: {text}"
    return found


def groupings(query: str) -> set[str]:
    """The labels that a query groups by."""
    return {label.strip() for by in re.findall(r"by \(([^)]*)\)", query) for label in by.split(",")}


def other_words(query: str) -> set[str]:
    """The words of a query that are neither metrics with braces nor parts of its language."""
    rest = SELECTOR.sub(" ", query)
    rest = re.sub(r"by \([^)]*\)|\[[^]]*\]|offset \w+|\"[^\"]*\"|\b[\d.]\w*", " ", rest)
    words = {word for word, call in re.findall(r"([a-zA-Z_:][\w:]*)\s*(\()?", rest) if not call}
    return words - WORDS


def faults(query: str) -> Iterator[str]:
    """What a query names that the service does not have."""
    found = selectors(query)
    if not found:
        yield "the query has no metric"
    yield from (f"a metric without braces: {word}" for word in other_words(query))
    for metric, conditions in found:
        if metric == ADDED_METRIC:
            labels: Labels = {}
        elif metric in served():
            labels = served()[metric]
        else:
            yield f"no metric {metric}"
            continue
        asked = {label for label, _, _ in conditions} | groupings(query)
        yield from (f"{metric} has no label {name}" for name in asked - ADDED_LABELS - {*labels})
        for label, operator, pattern in conditions:
            if label not in labels:
                continue
            for value in pattern.split("|") if operator.endswith("~") else [pattern]:
                if value not in labels[label]:
                    yield f'{metric} never has {label}="{value}"'
