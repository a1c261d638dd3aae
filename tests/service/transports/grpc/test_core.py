"""The check that grpcio has what the direct server needs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # missing from its stub
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.core import CoreUnsupported, require_core
from tablier_service.transports.grpc.server import make_server

from tests.service.assembly import Assemble


def test_this_grpcio_has_what_is_needed() -> None:
    require_core()


@pytest.mark.parametrize("missing", ["CompletionQueue", "Call.start_server_batch"])
def test_names_what_is_missing_and_what_to_do(
    assemble: Assemble, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    found: dict[str, Any] = {name: getattr(cygrpc, name) for name in core.REQUIRED}
    name, _, attribute = missing.partition(".")
    if attribute:
        rest = (each for each in core.REQUIRED[name] if each != attribute)
        found[name] = SimpleNamespace(**dict.fromkeys(rest))
    else:
        del found[name]
    monkeypatch.setattr(core, "cygrpc", SimpleNamespace(**found))
    with pytest.raises(CoreUnsupported, match=f"has no {missing}.*grpc_server=asyncio"):
        make_server(assemble(grpc_server="direct"))


def test_the_fallback_does_not_need_it(assemble: Assemble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "cygrpc", SimpleNamespace())

    async def serve() -> None:
        server = make_server(assemble(grpc_server="asyncio"))
        await server.start()
        await server.stop(0)

    asyncio.run(serve())
