"""Callers, and what each role may do (docs/adr/0008)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from tablier_service.errors import PermissionDenied
from tablier_service.security.quotas import Allowance, Quotas


class Role(StrEnum):
    """What a caller is trusted with; a caller can have several roles."""

    # Sits at the table: sees the catalogue, and what view tokens show.
    PLAYER = "player"
    # Runs matches: starts games, plays moves, hands out view tokens.
    HOST = "host"
    # May see everything, including what no seat knows.
    REFEREE = "referee"
    # Runs the service: reads its metrics.
    OPERATOR = "operator"


class Peer(NamedTuple):
    """The other end of a connection."""

    # Its address and port, which differ for every open connection.
    connection: str
    # The names in its client certificate.
    certificate_names: Sequence[str] = ()


class Caller:
    """An authenticated caller."""

    def __init__(
        self, name: str, roles: frozenset[Role], quotas: Quotas, account: str = ""
    ) -> None:
        self.name = name
        self.roles = roles
        self.quotas = quotas
        # Whose share of the service its calls use; different for every subject of a JWT.
        self.account = account or name


# The caller of every call on a service without authentication.
ANYONE = Caller("", frozenset(Role), Quotas(Allowance()))
# The caller of the current call. A context variable, because a parameter would have to go through
# every call to reach the three places that need it.
CALLER: ContextVar[Caller] = ContextVar("caller", default=ANYONE)

ALL_ROLES = frozenset(Role)
TABLE_ROLES = frozenset({Role.PLAYER, Role.HOST, Role.REFEREE})
STATE_ROLES = frozenset({Role.HOST, Role.REFEREE})
HOST_ROLES = frozenset({Role.HOST})

# The roles that may make a call. The use cases check which tokens it may be made with.
CALL_ROLES: Mapping[str, frozenset[Role]] = MappingProxyType(
    {
        "ListGames": ALL_ROLES,
        "GetGame": ALL_ROLES,
        "StartGame": HOST_ROLES,
        "EnumerateMoves": TABLE_ROLES,
        "InterpretMove": TABLE_ROLES,
        "ApplyMoves": HOST_ROLES,
        "DescribeState": TABLE_ROLES,
        "ReplayGame": STATE_ROLES,
        "RenderState": TABLE_ROLES,
        # Every operation of these two is checked as a call of its own.
        "Batch": ALL_ROLES,
        "Play": ALL_ROLES,
        "SuggestMoves": TABLE_ROLES,
        "StreamAnalysis": TABLE_ROLES,
        "SimulateGame": TABLE_ROLES,
        "PlaySeat": HOST_ROLES,
    }
)


def require(roles: frozenset[Role], field: str, what: str) -> None:
    """Raise PermissionDenied unless the current caller has one of these roles."""
    if roles.isdisjoint(CALLER.get().roles):
        raise PermissionDenied(field, f"{what} requires the role {' or '.join(sorted(roles))}")
