"""What DescribeState returns for learners, and that it contains what the seat knows alone."""

import numpy as np
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.errors import InvalidField
from tablier_service.service import Service

from tests.core import laws
from tests.core.variants import VARIANTS
from tests.service.assembly import Ask, asking

every_game = pytest.mark.parametrize("name", sorted(GAMES))


@every_game
def test_is_the_same_for_all_that_a_seat_cannot_distinguish(
    name: str, service: Service, sealed_service: Service
):
    """Byte for byte, in plain and sealed tokens, of states and of views; and as in the core."""
    for seed, options in enumerate(VARIANTS[name]):
        for position in laws.sample(GAMES[name], options, seed, count=4):
            for seat in range(position.seats):
                world = position.determinize(seat, seed)
                answers = {
                    asking(each)(
                        pb.DescribeStateRequest(
                            state=each.tokens.write(held), seat=seat, include_observation=True
                        )
                    ).observation.SerializeToString(deterministic=True)
                    for each in (service, sealed_service)
                    for held in (position, world, position.view_of(seat), world.view_of(seat))
                }
                expected = pb.Observation(
                    features=position.features(seat),
                    mask=position.mask(seat),
                    features_version=GAMES[name].features_version,
                )
                assert answers == {expected.SerializeToString(deterministic=True)}


@every_game
def test_a_stream_returns_it_too(name: str, ask: Ask):
    started = ask(pb.StartGameRequest(game=name, seed=3))
    asked = pb.DescribeStateRequest(state=started.state, seat=1, include_observation=True)
    (result,) = ask(pb.PlayRequest(operations=[pb.Operation(describe_state=asked)])).results
    assert result.describe_state == ask(asked)
    game, position = GAMES[name], GAMES[name].start({}, 3)
    observation = result.describe_state.observation
    features = np.frombuffer(observation.features, "<f4")
    assert features.tolist() == np.frombuffer(position.features(1), np.float32).tolist()
    mask = np.frombuffer(observation.mask, np.uint8)
    if game.mask_has_bits:
        mask = np.unpackbits(mask, count=game.num_actions, bitorder="little")
    assert np.flatnonzero(mask).tolist() == position.moves(1)


def test_is_only_returned_on_request_and_to_seats(ask: Ask):
    state = ask(pb.StartGameRequest(game="contrast", seed=1)).state
    assert not ask(pb.DescribeStateRequest(state=state, seat=0)).HasField("observation")
    for seat in (None, REFEREE):
        with pytest.raises(InvalidField) as failure:
            ask(pb.DescribeStateRequest(state=state, seat=seat, include_observation=True))
        assert failure.value.field == "include_observation"
