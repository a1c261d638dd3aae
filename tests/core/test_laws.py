"""The laws of the interface, for every game and variant."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_client.records.reading import NOTATION
from tablier_core import codec
from tablier_core.errors import TokenInvalid
from tablier_core.position import Game
from tablier_core.testing.guards import check_games, check_packed

from tests.core import laws
from tests.core.variants import ALL_GAMES, VARIANTS, Options, cases, label

every_case = pytest.mark.parametrize(("game", "options"), cases(), ids=label)
every_hidden_case = pytest.mark.parametrize(
    ("game", "options"), [case for case in cases() if case[0].has_hidden_information], ids=label
)
seeds = st.integers(0, 2**64 - 1001)


@every_case
@settings(max_examples=3)
@given(seed=seeds)
def test_random_games_keep_the_laws_of_the_c_interface(game: Game, options: Options, seed: int):
    assert check_games(game, options, seed, games=3, limit=laws.MAX_PLIES, stride=8) > 0


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_positions_keep_the_laws_of_the_python_interface(game: Game, options: Options, seed: int):
    for position in laws.sample(game, options, seed, count=6):
        laws.check_refusals(position)
        laws.check_token(position)
        laws.check_purity(position)
        laws.check_outcome(position)
        laws.check_drawings(position)
        laws.check_secrecy(position, seed)
        laws.check_features(position, seed)


@pytest.mark.parametrize("game", ALL_GAMES.values(), ids=label)
def test_features_are_the_view_as_numbers(game: Game):
    laws.check_slices(game)
    seen = laws.SeenByLearners()
    chance = random.Random(1)
    for options in VARIANTS[game.name]:
        for seed in range(2):
            positions = list(laws.walk(game, options, seed))
            for position in chance.sample(positions, min(25, len(positions))):
                seen.add(position)
                for _ in range(4):
                    with suppress(TokenInvalid):
                        seen.add(game.unpack(mutate(position.pack(), chance)))


@every_hidden_case
@settings(max_examples=2)
@given(seed=seeds)
def test_secrets_that_were_drawn_before_do_not_make_others_slower(
    game: Game, options: Options, seed: int
):
    for position in laws.sample(game, options, seed, count=4):
        laws.check_timing(position, seed)


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_positions_keep_the_laws_of_telling(game: Game, options: Options, seed: int):
    for position in laws.sample(game, options, seed, count=6):
        laws.check_reasons(position, seed)
        laws.check_paths(position, seed)
    steps = list(laws.play(game, options, seed))
    for step in [*random.Random(seed).sample(steps, min(6, len(steps))), steps[-1]]:
        laws.check_words(step, seed)


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_positions_keep_the_laws_of_reading(game: Game, options: Options, seed: int):
    chance = random.Random(seed)
    for position in laws.sample(game, options, seed, count=4):
        laws.check_reading_secrecy(position, seed)
        for seat in position.actors:
            laws.check_reading(position, seat, 8, chance)


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_illegal_moves_are_not_read_as_others(game: Game, options: Options, seed: int):
    chance = random.Random(seed)
    played = sorted({step.action for step in laws.play(game, options, seed)})
    for position in laws.sample(game, options, seed + 1, count=4):
        for seat in position.actors:
            elsewhere = chance.sample(played, min(8, len(played)))
            laws.check_reading_of_illegal(position, seat, elsewhere, chance)


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_equal_seeds_and_moves_give_equal_games(game: Game, options: Options, seed: int):
    once, twice = (
        [codec.encode(position) for position in laws.walk(game, options, seed)] for _ in range(2)
    )
    assert once == twice


@every_case
@settings(max_examples=2)
@given(seed=seeds)
def test_every_move_has_its_own_notation(game: Game, options: Options, seed: int):
    for position in laws.sample(game, options, seed, count=3):
        for seat in position.actors:
            texts = [game.write_move(move) for move in position.moves(seat)]
            assert [game.read_move(text) for text in texts] == position.moves(seat)
            assert len(set(texts)) == len(texts)


@every_case
def test_drawn_worlds_differ_where_something_is_hidden(game: Game, options: Options):
    laws.check_worlds_differ(game, options, seed=0)


@every_hidden_case
@pytest.mark.parametrize("seed", range(4))
def test_worlds_agree_with_all_that_a_seat_has_seen(game: Game, options: Options, seed: int):
    steps = list(laws.play(game, options, seed))
    # The end counts, too: advice ends there, but view tokens do not.
    for step in [*random.Random(seed).sample(steps, 2), steps[-1]]:
        laws.check_memory(step, seed % step.before.seats, seed)


@every_hidden_case
@pytest.mark.parametrize("seed", range(4))
def test_seats_see_the_same_of_moves_that_they_cannot_distinguish(
    game: Game, options: Options, seed: int
):
    steps = list(laws.play(game, options, seed))
    for step in random.Random(seed).sample(steps, min(30, len(steps))):
        for viewer in range(step.before.seats):
            laws.check_public_moves(step, viewer, seed)


@every_case
def test_notations_fit_into_a_record(game: Game, options: Options):
    for action in range(0, game.num_actions, max(1, game.num_actions // 5000)):
        assert NOTATION.fullmatch(game.write_move(action))


@every_case
@settings(max_examples=3)
@given(seed=seeds)
def test_mutated_states_are_rejected_or_keep_the_laws(game: Game, options: Options, seed: int):
    chance = random.Random(seed)
    for position in laws.sample(game, options, seed, count=4):
        packed = position.pack()
        assert check_packed(game, packed, seed)
        for _ in range(40):
            data = mutate(packed, chance)
            taken = check_packed(game, data, seed, limit=60)
            if taken:
                assert game.unpack(data).pack() == data
            else:
                with pytest.raises(TokenInvalid):
                    game.unpack(data)


def mutate(packed: bytes, chance: random.Random) -> bytes:
    """Make one or a few small changes: near misses pass the first checks."""
    data = bytearray(packed)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(data))
        match chance.randrange(5):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at] = chance.randrange(256)
            case 2:
                data[at] = (data[at] + chance.choice((-1, 1))) % 256
            case 3:
                other = chance.randrange(len(data))
                data[at], data[other] = data[other], data[at]
            case 4:
                del data[chance.randrange(1, len(data) + 1) :]
    return bytes(data)
