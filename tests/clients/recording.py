"""Calls to a service and its answers, recorded: the client can be tested where no service runs."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc

FILE = Path(__file__).parents[1] / "data" / "client" / "recording.json"


@dataclass
class Recording(grpc.GenericRpcHandler):  # type: ignore[type-arg]
    """Answers known calls from memory, and others from a service if there is one."""

    service_address: str | None = None
    answers: dict[tuple[str, bytes], bytes] = field(default_factory=dict)

    @classmethod
    def load(cls) -> Recording:
        """Read the recording, which answers nothing else."""
        rows = json.loads(FILE.read_text())
        return cls(
            answers={
                (row["call"], b64decode(row["request"])): b64decode(row["answer"]) for row in rows
            }
        )

    def save(self) -> None:
        """Write the recording, one call per line."""
        rows = [
            json.dumps(
                {
                    "call": call,
                    "request": b64encode(request).decode(),
                    "answer": b64encode(answer).decode(),
                }
            )
            for (call, request), answer in self.answers.items()
        ]
        FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n")

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        call = str(handler_call_details.method)

        def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
            if (call, request) not in self.answers:
                if self.service_address is None:
                    context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{call} was not recorded")
                with grpc.insecure_channel(str(self.service_address)) as channel:
                    forward = channel.unary_unary(call, bytes, bytes)
                    self.answers[call, request] = forward(request)
            return self.answers[call, request]

        return grpc.unary_unary_rpc_method_handler(answer)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Run a server with these answers, and yield its address."""
        server = grpc.server(ThreadPoolExecutor(4))
        server.add_generic_rpc_handlers([self])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(None).wait()
