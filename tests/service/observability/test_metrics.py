"""The metrics: their names, their buckets, and one answer for all workers."""

from __future__ import annotations

import pytest
from google.rpc import code_pb2
from prometheus_client.parser import text_string_to_metric_families
from tablier_service.calls.servicer import GAME_SERVICE
from tablier_service.observability import metrics as metrics_module
from tablier_service.observability.metrics import SECONDS, CallMetrics, Metrics, SharedNumbers

METHOD = GAME_SERVICE.methods_by_name["GetGame"]
CALL = {
    "grpc_type": "unary",
    "grpc_service": "tablier.v1.GameService",
    "grpc_method": "GetGame",
}
# The names of go-grpc-middleware, and our own.
NAMES = {
    *("grpc_server_started_total", "grpc_server_handled_total"),
    *("grpc_server_handling_seconds_bucket", "grpc_server_handling_seconds_sum"),
    *("grpc_server_handling_seconds_count", "tablier_search_queue_depth"),
    *("tablier_search_oldest_wait_seconds", "tablier_search_iterations_total"),
    *("tablier_rejected_calls_total", "tablier_seal_failures_total"),
}


def sample(metrics: Metrics, name: str, **labels: str) -> float:
    """A sample of the exposition."""
    text = metrics.exposition().decode()
    (value,) = (
        each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
        if (each.name, each.labels) == (name, labels)
    )
    return value


def test_uses_the_names_that_dashboards_know():
    metrics = Metrics()
    CallMetrics(metrics, METHOD)
    families = text_string_to_metric_families(metrics.exposition().decode())
    samples = [each for family in families for each in family.samples]
    assert {each.name for each in samples} >= NAMES
    reasons = {
        each.labels["reason"] for each in samples if each.name == "tablier_rejected_calls_total"
    }
    assert reasons == {
        "calls",
        "search_queue",
        "search_share",
        "deadline",
        "unauthenticated",
        "quota",
    }


def test_counts_a_duration_in_its_bucket_and_all_above():
    metrics = Metrics()
    call = CallMetrics(metrics, METHOD)
    for seconds in (0.0001, 0.0002, 0.003, 60.0):
        call.succeeded(seconds)
    call.failed(code_pb2.NOT_FOUND)
    counts = [
        sample(metrics, "grpc_server_handling_seconds_bucket", **CALL, le=le)
        for le in (*map(str, SECONDS), "+Inf")
    ]
    assert counts == [2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4]
    assert sample(metrics, "grpc_server_handling_seconds_count", **CALL) == 4
    total = sample(metrics, "grpc_server_handling_seconds_sum", **CALL)
    assert total == pytest.approx(60.0033)
    assert sample(metrics, "grpc_server_handled_total", **CALL, grpc_code="OK") == 4
    assert sample(metrics, "grpc_server_handled_total", **CALL, grpc_code="NotFound") == 1


def test_any_worker_reports_all_and_counts_survive_a_worker():
    shared = SharedNumbers(2)
    workers = [Metrics(shared, row) for row in range(2)]
    calls = [CallMetrics(metrics, METHOD) for metrics in workers]
    for call, times in zip(calls, (3, 4), strict=True):
        for _ in range(times):
            call.started.inc()
            call.succeeded(0.001)
    for metrics in workers:
        metrics.queued.set(5)
        metrics.seal_failures.inc()
    for metrics in workers:
        assert sample(metrics, "grpc_server_started_total", **CALL) == 7
        assert sample(metrics, "grpc_server_handling_seconds_count", **CALL) == 7
        assert sample(metrics, "tablier_search_queue_depth") == 10
    workers[0].forget(1)
    assert sample(workers[0], "grpc_server_started_total", **CALL) == 7
    assert sample(workers[0], "tablier_seal_failures_total") == 2
    assert sample(workers[0], "tablier_search_queue_depth") == 5


def test_reports_the_longest_wait_of_all_workers(
    monkeypatch: pytest.MonkeyPatch,
):
    shared = SharedNumbers(3)
    workers = [Metrics(shared, row) for row in range(3)]
    monkeypatch.setattr(metrics_module, "monotonic", lambda: 100.0)
    assert sample(workers[0], "tablier_search_oldest_wait_seconds") == 0
    workers[1].waiting_since.set(93.0)
    workers[2].waiting_since.set(98.0)
    assert sample(workers[0], "tablier_search_oldest_wait_seconds") == 7.0
    workers[0].forget(1)
    assert sample(workers[0], "tablier_search_oldest_wait_seconds") == 2.0
