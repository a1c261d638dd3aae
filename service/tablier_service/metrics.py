"""What Prometheus reads, under the names that gRPC dashboards know."""

from __future__ import annotations

from google.protobuf.descriptor import MethodDescriptor
from google.rpc import code_pb2
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

# Cheap calls take well under a millisecond, so the usual buckets would show nothing.
SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5)
LABELS = ("grpc_type", "grpc_service", "grpc_method")


class Metrics:
    """The service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.started = Counter(
            "grpc_server_started", "Calls begun.", LABELS, registry=self.registry
        )
        self.handled = Counter(
            "grpc_server_handled", "Calls ended.", (*LABELS, "grpc_code"), registry=self.registry
        )
        self.seconds = Histogram(
            "grpc_server_handling_seconds",
            "Time from a request's bytes to its answer's.",
            LABELS,
            buckets=SECONDS,
            registry=self.registry,
        )
        self.seal_failures = Counter(
            "tablier_seal_failures", "Sealed tokens that did not open.", registry=self.registry
        )

    def exposition(self) -> bytes:
        """All values in Prometheus' text format."""
        return generate_latest(self.registry)


class CallMetrics:
    """The metrics of one call, their labels looked up once: a look-up costs more than a count."""

    def __init__(self, metrics: Metrics, method: MethodDescriptor) -> None:
        labels = ("unary", method.containing_service.full_name, method.name)
        self._handled = metrics.handled
        self._labels = labels
        self.started = metrics.started.labels(*labels)
        self.seconds = metrics.seconds.labels(*labels)
        self.succeeded = metrics.handled.labels(*labels, "OK")

    def failed(self, code: int) -> None:
        """Count a call that ended with an error."""
        self._handled.labels(*self._labels, code_name(code)).inc()


def code_name(code: int) -> str:
    """A gRPC code as metrics name it, e.g. `InvalidArgument`."""
    return code_pb2.Code.DESCRIPTOR.values_by_number[code].name.title().replace("_", "")
