"""The table of docs/adr/0008: every call in every role, on a service with sealed tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_service.errors import PermissionDenied
from tablier_service.security.callers import ANYONE, CALL_ROLES, CALLER, Caller, Role
from tablier_service.security.quotas import Allowance, Quotas
from tablier_service.security.sealing import SealedTokens, read_keys
from tablier_service.service import Service

from tests.service.assembly import SEAL_KEYS

GAME = "contrat500"
OPEN_GAME = "contigo-alignment"
# The key is that of the fixture `sealed_service`.
SEALED = SealedTokens(GAMES, read_keys(SEAL_KEYS))
POSITION = GAMES[GAME].start({}, 3)
TRUE = SEALED.write(POSITION)
VIEW = SEALED.write(POSITION.view_of(POSITION.actors[0]))
SEAT = POSITION.actors[0]
MOVE = game_pb2.Move(action=POSITION.moves(SEAT)[0])
ALL = frozenset(Role)
TABLE = {Role.PLAYER, Role.HOST, Role.REFEREE}
STATES = {Role.HOST, Role.REFEREE}
SIMULATE = advisor_service_pb2.SimulateGameRequest
PLAY = advisor_service_pb2.PlaySeatRequest
BUDGET = advisor_service_pb2.Budget(iterations=1)

# A call, its request, and the roles that may make it.
CASES: list[tuple[str, Any, set[Role] | frozenset[Role]]] = [
    ("ListGames", pb.ListGamesRequest(), ALL),
    ("GetGame", pb.GetGameRequest(game=GAME), ALL),
    ("StartGame", pb.StartGameRequest(game=GAME), {Role.HOST}),
    ("EnumerateMoves", pb.EnumerateMovesRequest(state=TRUE), STATES),
    ("EnumerateMoves", pb.EnumerateMovesRequest(state=VIEW), TABLE),
    ("InterpretMove", pb.InterpretMoveRequest(state=TRUE, text="1"), STATES),
    ("InterpretMove", pb.InterpretMoveRequest(state=VIEW, text="1"), TABLE),
    ("ApplyMoves", pb.ApplyMovesRequest(state=TRUE, moves=[MOVE]), {Role.HOST}),
    ("DescribeState", pb.DescribeStateRequest(state=TRUE, seat=SEAT), STATES),
    ("DescribeState", pb.DescribeStateRequest(state=VIEW), TABLE),
    ("DescribeState", pb.DescribeStateRequest(state=TRUE), {Role.REFEREE}),
    ("DescribeState", pb.DescribeStateRequest(state=TRUE, seat=-1), {Role.REFEREE}),
    ("RenderState", pb.RenderStateRequest(state=TRUE, seat=SEAT), STATES),
    ("RenderState", pb.RenderStateRequest(state=VIEW), TABLE),
    ("RenderState", pb.RenderStateRequest(state=TRUE), {Role.REFEREE}),
    ("ReplayGame", pb.ReplayGameRequest(game=GAME, seed=3, moves=[MOVE]), STATES),
    ("ReplayGame", pb.ReplayGameRequest(game=GAME, include_transcript=True), {Role.REFEREE}),
    ("ReplayGame", pb.ReplayGameRequest(game=GAME, viewer=-1), {Role.REFEREE}),
    (
        "ReplayGame",
        pb.ReplayGameRequest(game=GAME, viewer=-1, include_transcript=True),
        {Role.REFEREE},
    ),
    ("ReplayGame", pb.ReplayGameRequest(game=GAME, viewer=0, include_transcript=True), STATES),
    ("ReplayGame", pb.ReplayGameRequest(game=GAME, viewer=0), STATES),
    *(
        (call, request(state=token, budget=BUDGET), allowed)
        for call, request in (
            ("SuggestMoves", advisor_service_pb2.SuggestMovesRequest),
            ("StreamAnalysis", advisor_service_pb2.StreamAnalysisRequest),
        )
        for token, allowed in ((TRUE, STATES), (VIEW, TABLE))
    ),
    ("SimulateGame", SIMULATE(state=TRUE, seat=SEAT, games=1), STATES),
    ("SimulateGame", SIMULATE(state=VIEW, games=1), TABLE),
    ("SimulateGame", SIMULATE(state=TRUE, games=1), {Role.REFEREE}),
    ("PlaySeat", PLAY(state=TRUE, seat=SEAT, viewer=SEAT, level=1), {Role.HOST}),
]


Handlers = dict[str, Callable[[Any], Any]]


def handlers_of(service: Service) -> Handlers:
    """Functions that carry out a call, by its name."""
    # A call with many answers checks its request before the first answer.
    return {
        method.descriptor.name: method.handler if method.streaming else method.ask
        for method in service.methods
    }


@pytest.fixture(scope="module")
def handlers(sealed_service: Service) -> Handlers:
    return handlers_of(sealed_service)


@pytest.fixture
def as_role() -> Iterator[Any]:
    """A function to become a caller with some roles."""
    before = CALLER.set(ANYONE)

    def become(*roles: Role) -> None:
        CALLER.set(Caller("somebody", frozenset(roles), Quotas(Allowance())))

    yield become
    CALLER.reset(before)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize(("call", "request_", "allowed"), CASES)
def test_every_call_in_every_role(
    call: str, request_: Any, allowed: set[Role], role: Role, as_role: Any, handlers: Handlers
):
    as_role(role)
    if role in allowed:
        handlers[call](request_)
        return
    with pytest.raises(PermissionDenied):
        handlers[call](request_)


def test_every_call_has_a_row_and_a_case(handlers: Handlers):
    assert set(handlers) <= set(CALL_ROLES)
    assert set(handlers) - {call for call, _, _ in CASES} == {"Batch", "Play"}


@pytest.mark.parametrize("many", ["Batch", "Play"])
@pytest.mark.parametrize("role", list(Role))
def test_checks_operations_one_by_one(many: str, role: Role, as_role: Any, handlers: Handlers):
    fields = {field.message_type: field.name for field in pb.Operation.DESCRIPTOR.oneofs[0].fields}
    request_type = {"Batch": pb.BatchRequest, "Play": pb.PlayRequest}[many]
    cases = [case for case in CASES if case[1].DESCRIPTOR in fields]
    as_role(role)
    answer = handlers[many](
        request_type(
            operations=[
                pb.Operation(**{fields[request.DESCRIPTOR]: request}) for _, request, _ in cases
            ]
        )
    )
    rejected = [result.WhichOneof("outcome") == "error" for result in answer.results]
    assert rejected == [role not in allowed for _, _, allowed in cases]


def test_nobody_is_a_referee_if_tokens_are_sealed_but_callers_unauthenticated(
    handlers: Handlers,
):
    for call, request, allowed in CASES:
        if allowed == {Role.REFEREE}:
            with pytest.raises(PermissionDenied, match="role referee"):
                handlers[call](request)
        else:
            handlers[call](request)


def test_everybody_may_see_everything_if_tokens_are_plain(service: Service):
    plain = handlers_of(service)
    token = service.tokens.write(POSITION)
    assert plain["DescribeState"](pb.DescribeStateRequest(state=token)).view


def test_anybody_may_see_a_game_without_hidden_information(as_role: Any, handlers: Handlers):
    position: Position = GAMES[OPEN_GAME].start({}, 1)
    request = pb.RenderStateRequest(state=SEALED.write(position))
    assert handlers["RenderState"](request).content
    as_role(Role.HOST)
    assert handlers["RenderState"](request).content


def test_only_callers_that_may_see_everything_get_a_drawn_seed(
    as_role: Any, handlers: Handlers, service: Service
):
    def seed(**fields: Any) -> int:
        return int(handlers["StartGame"](pb.StartGameRequest(**fields)).seed)

    assert seed(game=GAME) == 0
    assert seed(game=GAME, seed=5) == 5
    assert seed(game=OPEN_GAME) != 0
    as_role(Role.HOST)
    assert seed(game=GAME) == 0
    as_role(Role.HOST, Role.REFEREE)
    assert seed(game=GAME) != 0
    plain = handlers_of(service)
    assert plain["StartGame"](pb.StartGameRequest(game=GAME)).seed != 0
