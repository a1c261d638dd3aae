"""The requests of load tests cover every call, and their right answers are recognised."""

from __future__ import annotations

import base64
from itertools import islice

import pytest
from tablier.v1 import advisor_service_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES

from loadtests import answers
from loadtests.answers import Disagreement, Oracle
from loadtests.requests import CALLS, SCENARIOS, WEIGHTS, Source, scenario
from loadtests.transports import prepare

SERVICES = (
    pb.DESCRIPTOR.services_by_name["GameService"],
    advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"],
)
KEYS = f"1:{base64.b64encode(bytes(range(32))).decode()}"


@pytest.fixture(scope="module", params=["", KEYS], ids=["plain", "sealed"])
def oracle(request):
    made = Oracle(request.param)
    yield made
    made.close()


def test_there_are_requests_of_every_call():
    assert set(CALLS) == {method.name for service in SERVICES for method in service.methods}


def test_the_weights_name_scenarios():
    assert set(WEIGHTS) < set(SCENARIOS)
    assert min(WEIGHTS.values()) > 0


def test_games_of_the_whole_registry_are_played(oracle):
    source = Source(oracle.tokens, 1)
    played = set()
    for _ in range(2000):
        played.add(source.turn().position.game.name)
    assert played == set(GAMES)


@pytest.mark.parametrize("name", [*CALLS, "Batch/apply_moves", "Play/enumerate_moves"])
def test_requests_about_a_call_are_right(oracle, name):
    for request in islice(scenario(name)(Source(oracle.tokens, 1)), 3):
        prepared = prepare(request, oracle)
        assert prepared.call == name.partition("/")[0]
        assert not prepared.expected.failed
        assert prepared.results or prepared.expected.wire


def test_hostile_requests_fail_and_others_do_not(oracle):
    hostile = [
        prepare(each, oracle) for each in islice(scenario("hostile")(Source(oracle.tokens, 1)), 90)
    ]
    assert sum(each.expected.failed for each in hostile) >= 70
    fair = [
        prepare(each, oracle) for each in islice(scenario("playout")(Source(oracle.tokens, 1)), 50)
    ]
    assert not any(each.expected.failed for each in fair)


def test_equal_seeds_give_equal_requests():
    oracle = Oracle()
    first, second = (
        [each.message for each in islice(scenario("mixed")(Source(oracle.tokens, 7)), 50)]
        for _ in range(2)
    )
    assert first == second
    oracle.close()


def test_an_unknown_scenario_is_an_error():
    with pytest.raises(ValueError, match="no scenario nonsense; there are: playout"):
        scenario("nonsense")


@pytest.mark.parametrize("call", ["ApplyMoves", "StartGame", "DescribeState", "Batch"])
def test_only_the_right_answer_matches(oracle, call):
    request = next(scenario(call)(Source(oracle.tokens, 1)))
    expected = prepare(request, oracle).expected
    # Computed again: with sealed tokens, other bytes.
    again = oracle.expect(request)
    assert expected.matches_wire(again.wire)
    assert expected.matches_json(again.json)
    other = next(islice(scenario(call)(Source(oracle.tokens, 2)), 1, None))
    wrong = oracle.expect(other)
    assert not expected.matches_wire(wrong.wire)
    assert not expected.matches_json(wrong.json)
    assert not expected.matches_wire(again.wire[:-1])
    assert not expected.matches_json(again.json[:-1])


def test_a_sealed_answer_with_another_state_is_wrong():
    oracle = Oracle(KEYS)
    request = next(scenario("ApplyMoves")(Source(oracle.tokens, 1)))
    assert isinstance(request.message, pb.ApplyMovesRequest)
    expected = oracle.expect(request)
    answer = pb.ApplyMovesResponse.FromString(expected.wire)
    assert expected.matches_wire(answer.SerializeToString())
    answer.state = request.message.state
    assert not expected.matches_wire(answer.SerializeToString())
    oracle.close()


def test_a_service_that_disagrees_with_the_core_has_no_right_answers(monkeypatch):
    oracle = Oracle()
    request = next(scenario("ApplyMoves")(Source(oracle.tokens, 1)))
    oracle.expect(request)
    assert isinstance(request.message, pb.ApplyMovesRequest)
    wrong = pb.ApplyMovesResponse(state=request.message.state).SerializeToString()
    monkeypatch.setattr(answers, "wire_of", lambda answer: wrong)
    with pytest.raises(Disagreement):
        oracle.expect(request)
    oracle.close()
