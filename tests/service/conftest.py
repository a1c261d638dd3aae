"""Fixtures for assembled services."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tablier_service.service import Service

from tests.service.assembly import SEAL_KEYS, Ask, Assemble, asking, assemble


@pytest.fixture(scope="session", name="assemble")
def assemble_services() -> Iterator[Assemble]:
    """Assembles services, and closes them after all tests: `assemble(max_calls=3)`."""
    services: list[Service] = []

    def make(parts: dict[str, Any] | None = None, **settings: Any) -> Service:
        services.append(assemble(parts, **settings))
        return services[-1]

    yield make
    for service in services:
        service.close()


@pytest.fixture(scope="session")
def service(assemble: Assemble) -> Service:
    """A service with plain tokens and without authentication."""
    return assemble()


@pytest.fixture(scope="session")
def sealed_service(assemble: Assemble) -> Service:
    """A service with sealed tokens."""
    return assemble(seal_keys=SEAL_KEYS)


@pytest.fixture(scope="session")
def ask(service: Service) -> Ask:
    """Ask a service with plain tokens."""
    return asking(service)


@pytest.fixture(scope="session")
def ask_sealed(sealed_service: Service) -> Ask:
    """Ask a service with sealed tokens."""
    return asking(sealed_service)
