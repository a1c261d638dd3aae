"""Who calls, and what each role may do (docs/adr/0008)."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType

from tablier_service.errors import PermissionDenied
from tablier_service.security.quotas import Allowance, Quotas


class Role(StrEnum):
    """What a caller is trusted with; a caller can have several."""

    # Sits at the table: sees the catalogue and what view tokens tell.
    PLAYER = "player"
    # Runs matches: starts games, plays moves, hands out view tokens.
    HOST = "host"
    # May see everything, also what no seat can know.
    REFEREE = "referee"
    # Runs the service: reads its metrics.
    OPERATOR = "operator"


class Caller:
    """Somebody who may call."""

    def __init__(self, name: str, roles: frozenset[Role], quotas: Quotas) -> None:
        self.name = name
        self.roles = roles
        self.quotas = quotas


# Everybody, where nobody is asked who they are.
ANYONE = Caller("", frozenset(Role), Quotas(Allowance()))
# Whose call is being served. A variable of the task, because a parameter would go through every
# call to reach the three places that ask.
CALLER: ContextVar[Caller] = ContextVar("caller", default=ANYONE)

EVERYBODY = frozenset(Role)
AT_THE_TABLE = frozenset({Role.PLAYER, Role.HOST, Role.REFEREE})
WHO_SEES_STATES = frozenset({Role.HOST, Role.REFEREE})
HOSTS = frozenset({Role.HOST})

# Who may make a call at all. Which tokens it may be made with is the engine's to check.
CALL_ROLES: Mapping[str, frozenset[Role]] = MappingProxyType(
    {
        "ListGames": EVERYBODY,
        "GetGame": EVERYBODY,
        "StartGame": HOSTS,
        "EnumerateMoves": AT_THE_TABLE,
        "ApplyMoves": HOSTS,
        "DescribeState": AT_THE_TABLE,
        "ReplayGame": WHO_SEES_STATES,
        "RenderState": AT_THE_TABLE,
        # Of these two, every operation is checked as a call of its own.
        "Batch": EVERYBODY,
        "Play": EVERYBODY,
        "SuggestMoves": AT_THE_TABLE,
        "StreamAnalysis": AT_THE_TABLE,
        "SimulateGame": AT_THE_TABLE,
    }
)


def require(roles: frozenset[Role], field: str, what: str) -> None:
    """Raise PermissionDenied unless the caller has one of some roles."""
    if roles.isdisjoint(CALLER.get().roles):
        raise PermissionDenied(field, f"{what} needs the role {' or '.join(sorted(roles))}")
