"""What /metrics tells: its names, its buckets, and one answer for all workers."""

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
# What go-grpc-middleware has, and what is ours.
NAMES = {
    *("grpc_server_started_total", "grpc_server_handled_total"),
    *("grpc_server_handling_seconds_bucket", "grpc_server_handling_seconds_sum"),
    *("grpc_server_handling_seconds_count", "tablier_search_queue_depth"),
    *("tablier_search_oldest_wait_seconds", "tablier_search_iterations_total"),
    *("tablier_sheds_total", "tablier_seal_failures_total"),
}


def told(metrics: Metrics, name: str, **labels: str) -> float:
    """A sample of the exposition."""
    text = metrics.exposition().decode()
    (value,) = (
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if (sample.name, sample.labels) == (name, labels)
    )
    return value


def test_dashboards_find_the_names_that_they_know():
    metrics = Metrics()
    CallMetrics(metrics, METHOD)
    families = text_string_to_metric_families(metrics.exposition().decode())
    samples = [sample for family in families for sample in family.samples]
    assert {sample.name for sample in samples} >= NAMES
    reasons = {each.labels["reason"] for each in samples if each.name == "tablier_sheds_total"}
    assert reasons == {"calls", "queue", "deadline"}


def test_a_duration_is_in_its_bucket_and_in_all_above():
    metrics = Metrics()
    call = CallMetrics(metrics, METHOD)
    for seconds in (0.0001, 0.0002, 0.003, 60.0):
        call.succeeded(seconds)
    call.failed(code_pb2.NOT_FOUND)
    counts = [
        told(metrics, "grpc_server_handling_seconds_bucket", **CALL, le=le)
        for le in (*map(str, SECONDS), "+Inf")
    ]
    assert counts == [2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4]
    assert told(metrics, "grpc_server_handling_seconds_count", **CALL) == 4
    total = told(metrics, "grpc_server_handling_seconds_sum", **CALL)
    assert total == pytest.approx(60.0033)
    assert told(metrics, "grpc_server_handled_total", **CALL, grpc_code="OK") == 4
    assert told(metrics, "grpc_server_handled_total", **CALL, grpc_code="NotFound") == 1


def test_any_worker_tells_of_all_and_what_one_counted_outlives_it():
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
        assert told(metrics, "grpc_server_started_total", **CALL) == 7
        assert told(metrics, "grpc_server_handling_seconds_count", **CALL) == 7
        assert told(metrics, "tablier_search_queue_depth") == 10
    workers[0].forget(1)
    assert told(workers[0], "grpc_server_started_total", **CALL) == 7
    assert told(workers[0], "tablier_seal_failures_total") == 2
    assert told(workers[0], "tablier_search_queue_depth") == 5


def test_the_oldest_wait_is_that_of_the_worker_that_lets_wait_longest(
    monkeypatch: pytest.MonkeyPatch,
):
    shared = SharedNumbers(3)
    workers = [Metrics(shared, row) for row in range(3)]
    monkeypatch.setattr(metrics_module, "monotonic", lambda: 100.0)
    assert told(workers[0], "tablier_search_oldest_wait_seconds") == 0
    workers[1].waiting_since.set(93.0)
    workers[2].waiting_since.set(98.0)
    assert told(workers[0], "tablier_search_oldest_wait_seconds") == 7.0
    workers[0].forget(1)
    assert told(workers[0], "tablier_search_oldest_wait_seconds") == 2.0
