"""OpenTelemetry, where it is asked for: one span a call, through either door.

A span has the name of its call and how it ended, and continues the trace that the caller's
`traceparent` names; nothing of a request or an answer is in it. Both doors wrap what serves a call
when they are made, so that without tracing nothing is there that could cost anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from google.protobuf.descriptor import MethodDescriptor

from tablier_service.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

# The headers, and metadata, that carry a trace: W3C Trace Context.
CARRIERS = ("traceparent", "tracestate")


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
        """The span of a call that begins; `system` is the door's protocol."""
        service = method.containing_service.full_name
        return self._tracer.start_span(
            f"{service}/{method.name}",
            context=self._extract(carrier),
            kind=self._kind,
            attributes={"rpc.system": system, "rpc.service": service, "rpc.method": method.name},
        )

    def end(self, span: Span, attribute: str, code: int, *, failed: bool) -> None:
        """The call has ended, with a code."""
        span.set_attribute(attribute, code)
        if failed:
            span.set_status(self._failed)
        span.end()

    def close(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()


def make_tracing(settings: Settings) -> Tracing | None:
    """Tracing to the collector that the settings name, if they do."""
    if not settings.otlp_endpoint:
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
        sampler=ParentBasedTraceIdRatio(settings.trace_ratio),
        # The service stops in its own order, and closes it then.
        shutdown_on_exit=False,
    )
    exporter = OTLPSpanExporter(endpoint=settings.otlp_endpoint)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Tracing(provider)
