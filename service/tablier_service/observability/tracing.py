"""OpenTelemetry, if configured: one span per call, on every transport.

A span has the name of its call and its outcome, and continues the trace of the caller's
`traceparent`. It contains nothing from a request or an answer. Without an endpoint to send spans
to, OpenTelemetry is not even imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from google.protobuf.descriptor import MethodDescriptor
from google.rpc import code_pb2

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

# The headers, or metadata, that carry a trace: W3C Trace Context.
CARRIERS = ("traceparent", "tracestate")
# The codes that mean a fault of the server, by the conventions of OpenTelemetry.
FAULTS = frozenset(
    {
        code_pb2.UNKNOWN,
        code_pb2.DEADLINE_EXCEEDED,
        code_pb2.UNIMPLEMENTED,
        code_pb2.INTERNAL,
        code_pb2.UNAVAILABLE,
        code_pb2.DATA_LOSS,
    }
)


class Tracing:
    """Makes the spans of calls."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry.trace import SpanKind, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer("tablier")
        self._extract = TraceContextTextMapPropagator().extract
        self._kind = SpanKind.SERVER
        self._failed = StatusCode.ERROR

    def begin(self, method: MethodDescriptor, system: str, carrier: Mapping[str, str]) -> Span:
        """Start the span of a call; `system` is the transport."""
        service = method.containing_service.full_name
        return self._tracer.start_span(
            f"{service}/{method.name}",
            context=self._extract(carrier),
            kind=self._kind,
            attributes={"rpc.system": system, "rpc.service": service, "rpc.method": method.name},
        )

    def end(self, span: Span, attribute: str, code: int, *, failed: bool) -> None:
        """End the span of a call with its status."""
        span.set_attribute(attribute, code)
        if failed:
            span.set_status(self._failed)
        span.end()

    def close(self) -> None:
        """Send the spans that are still queued."""
        self._provider.shutdown()


def make_tracing(endpoint: str, ratio: float) -> Tracing | None:
    """Make tracing that sends spans to a collector; None without an endpoint."""
    if not endpoint:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
    except ImportError:
        raise OSError("tracing needs more packages: pip install 'tablier[otel]'") from None
    provider = TracerProvider(
        resource=Resource.create({"service.name": "tablier"}),
        sampler=ParentBasedTraceIdRatio(ratio),
        # The service shuts it down itself, after the last call.
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return Tracing(provider)
