"""The vector of games, compared with positions that are played one by one."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from tablier_core import asking
from tablier_core.errors import InvalidField, OptionError, TokenInvalid, TokenMalformed
from tablier_core.position import Game, Position
from tablier_core.rng import Random, Stream
from tablier_core.vector import Vector

from tests.core.variants import ALL_GAMES, Options, cases, label


class Played:
    """A vector with all the memory that it can fill, none of it from NumPy."""

    def __init__(
        self,
        game: Game,
        options: Options | Sequence[Options],
        seeds: Sequence[int],
        **others: Any,
    ) -> None:
        games = len(seeds)
        sizes = Vector(game, options, seeds, actions=array("i", [0] * games))
        row = bytes(4 * sizes.num_features * games)
        self.memory: dict[str, Any] = {
            "actions": array("q", [0] * games),
            "observations": array("f", row),
            "masks": bytearray(sizes.mask_bytes * games),
            "actors": array("i", [0] * games),
            "rewards": array("f", [0.0] * (sizes.seats * games)),
            "dones": bytearray(games),
            "illegal": bytearray(games),
            "finals": array("f", row),
        }
        self.vector = Vector(game, options, seeds, **self.memory, **others)

    def row(self, name: str, game: int) -> Any:
        """One game's part of an array."""
        whole = self.memory[name]
        width = len(whole) // len(self.vector)
        return whole[game * width : (game + 1) * width]

    def mask(self, game: int) -> list[int]:
        """The actions in a mask."""
        row = self.row("masks", game)
        if self.vector.packed_masks:
            return [
                8 * i + bit for i, byte in enumerate(row) for bit in range(8) if byte >> bit & 1
            ]
        return [action for action, byte in enumerate(row) if byte]

    def contents(self) -> list[bytes]:
        """Everything that the vector wrote."""
        return [bytes(memoryview(whole).cast("B")) for whole in self.memory.values()]


class Reference:
    """One game of a vector, played on positions."""

    def __init__(self, game: Game, options: Options, seed: int) -> None:
        self.game, self.options = game, options
        self.seeds = Random(seed, Stream.EPISODE_STREAM)
        self.start(seed)

    def start(self, seed: int) -> None:
        self.position = self.game.start(self.options, seed)
        self.waited = 0

    @property
    def asked(self) -> int:
        return asking.asked_seat(self.position, self.waited)

    def legal(self) -> list[int]:
        wait = [self.game.num_actions] if asking.can_wait(self.position, self.asked) else []
        return self.position.moves(self.asked) + wait

    def step(self, action: int) -> Position | None:
        """Play, and return the last position of an episode that ended."""
        if action == self.game.num_actions:
            self.waited |= 1 << self.asked
            return None
        self.position = self.position.apply(self.asked, action)
        self.waited = 0
        last = self.position
        if not last.over:
            return None
        self.start(self.seeds.next() << 32 | self.seeds.next())
        return last


def check(played: Played, game: int, reference: Reference) -> None:
    """Compare what the vector shows of a game with the reference."""
    assert played.vector.position(game).pack() == reference.position.pack()
    assert played.vector.position(game).ply == reference.position.ply
    assert played.vector.waited(game) == reference.waited
    assert played.memory["actors"][game] == reference.asked
    assert played.mask(game) == reference.legal()
    shown = played.row("observations", game).tobytes()
    assert shown == reference.position.features(reference.asked)


@pytest.mark.parametrize(("game", "options"), cases(), ids=label)
def test_plays_like_positions(game: Game, options: Options):
    seeds = (7, 2**64 - 1)
    played = Played(game, options, seeds)
    references = [Reference(game, options, seed) for seed in seeds]
    for _ in range(60):
        for i, reference in enumerate(references):
            check(played, i, reference)
        played.vector.choose()
        actions = list(played.memory["actions"])
        played.vector.step()
        for i, reference in enumerate(references):
            assert actions[i] in reference.legal()
            asked = reference.asked
            last = reference.step(actions[i])
            assert played.memory["dones"][i] == (last is not None)
            assert played.memory["illegal"][i] == 0
            rewards = list(played.row("rewards", i))
            if last is None:
                assert not any(rewards)
            else:
                assert rewards == pytest.approx(last.returns)
                assert played.row("finals", i).tobytes() == last.features(asked)


@pytest.mark.parametrize("name", ["tic-tac-toe", "pig", "kuhn-poker", "contrast", "contrat500"])
def test_later_episodes_have_seeds_of_their_own(name: str):
    game, options = ALL_GAMES[name], {"max_deals": 1} if name == "contrat500" else {}
    played = Played(game, options, [5])
    reference = Reference(game, options, 5)
    episodes = steps = 0
    while episodes < 3:
        steps += 1
        assert steps < 3000
        played.vector.choose()
        episodes += reference.step(played.memory["actions"][0]) is not None
        played.vector.step()
        check(played, 0, reference)


@pytest.mark.parametrize("name", ALL_GAMES)
def test_threads_do_not_matter(name: str):
    seeds = range(40)
    one, four = (Played(ALL_GAMES[name], {}, seeds, threads=n) for n in (1, 4))
    for _ in range(25):
        for played in (one, four):
            played.vector.choose()
            played.vector.step()
        assert one.contents() == four.contents()
    assert one.vector.snapshot() == four.vector.snapshot()


def test_every_game_can_have_its_own_options():
    options: list[Mapping[str, object]] = [{"seats": seats} for seats in (2, 6, 4)]
    played = Played(ALL_GAMES["contrast"], options, [1, 2, 3])
    references = [
        Reference(ALL_GAMES["contrast"], each, seed)
        for each, seed in zip(options, (1, 2, 3), strict=True)
    ]
    assert played.vector.seats == 6
    for i, reference in enumerate(references):
        assert played.vector.position(i).seats == reference.position.seats
        check(played, i, reference)


# ---- Actions -------------------------------------------------------------------------------------


def test_reports_illegal_actions_and_does_not_play_them():
    played = Played(ALL_GAMES["tic-tac-toe"], {}, [1, 2, 3, 4])
    played.memory["actions"][:] = array("q", [4, 4, 4, 4])
    played.vector.step()
    before = [played.vector.position(i).pack() for i in range(4)]
    masks = bytes(played.memory["masks"])
    played.memory["actions"][:] = array("q", [4, 9, -1, 2**40])
    played.vector.step()
    assert bytes(played.memory["illegal"]) == b"\1\1\1\1"
    assert [played.vector.position(i).pack() for i in range(4)] == before
    assert bytes(played.memory["masks"]) == masks
    played.memory["actions"][:] = array("q", [0, 0, 0, 0])
    played.vector.step()
    assert bytes(played.memory["illegal"]) == bytes(4)


def test_masks_that_a_caller_overwrites_make_nothing_legal():
    played = Played(ALL_GAMES["tic-tac-toe"], {}, [1])
    played.memory["actions"][0] = 4
    played.vector.step()
    played.memory["masks"][:] = b"\1" * 9
    played.vector.step()
    assert played.memory["illegal"][0] == 1


@pytest.mark.parametrize("name", ["contigo-alignment", "mafia-de-cuba", "connect-four"])
def test_lists_legal_actions(name: str):
    played = Played(ALL_GAMES[name], {}, range(5), threads=2)
    for _ in range(12):
        offsets = array("q", [0] * 6)
        total = played.vector.list_legal(offsets)
        listed = array("i", [-1] * (total + 1))
        assert played.vector.list_legal(offsets, listed) == total == offsets[5]
        assert listed[total] == -1
        for i in range(5):
            assert list(listed[offsets[i] : offsets[i + 1]]) == played.mask(i)
        with pytest.raises(InvalidField, match=f"room for {total}"):
            played.vector.list_legal(offsets, array("i", [0] * (total - 1)))
        played.vector.choose()
        played.vector.step()


def test_random_choices_are_uniform():
    games = 4000
    played = Played(ALL_GAMES["connect-four"], {}, range(games))
    played.vector.choose()
    counts = np.bincount(played.memory["actions"], minlength=7)
    # Seven equally likely columns: four standard errors.
    assert abs(counts - games / 7).max() < 4 * (games * 6 / 49) ** 0.5


# ---- Waiting -------------------------------------------------------------------------------------


def test_asks_those_that_may_wait_before_the_one_that_must_move():
    game = ALL_GAMES["mafia-de-cuba"]
    assert asking.has_wait(game)
    assert not asking.has_wait(ALL_GAMES["contrast"])
    played = Played(game, {"seats": 5}, [3])
    wait = game.num_actions
    assert played.vector.num_actions == wait + 1
    while played.vector.position(0).phase != "inquiry":
        assert wait not in played.mask(0)
        played.vector.choose()
        played.vector.step()
    for seat in (1, 2, 3, 4):
        assert played.memory["actors"][0] == seat
        assert played.mask(0)[-1] == wait
        played.memory["actions"][0] = wait
        ply = played.vector.position(0).ply
        played.vector.step()
        assert played.vector.position(0).ply == ply
    assert played.memory["actors"][0] == 0
    assert wait not in played.mask(0)
    # A statement lets everyone react before the Godfather goes on.
    played.vector.restore(played.vector.snapshot())
    assert played.memory["actors"][0] == 0
    played.vector.choose()
    played.vector.step()
    assert played.vector.waited(0) == 0


def test_a_statement_begins_the_order_again():
    game = ALL_GAMES["mafia-de-cuba"]
    played = Played(game, {"seats": 5}, [3])
    while played.vector.position(0).phase != "inquiry":
        played.vector.choose()
        played.vector.step()
    for seat, action in ((1, game.num_actions), (2, played.mask(0)[0])):
        assert played.memory["actors"][0] == seat
        played.memory["actions"][0] = action
        played.vector.step()
    assert played.memory["actors"][0] == 1


# ---- Learners ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL_GAMES)
def test_others_play_at_random(name: str):
    game = ALL_GAMES[name]
    options: Options = {"max_deals": 1} if name == "contrat500" else {}
    learners = [0, game.start(options, 0).seats - 1, -1]
    played = Played(game, options, [1, 2, 3], seats=learners)
    ended = [0, 0, 0]
    for _ in range(200):
        for i, learner in enumerate(learners):
            assert learner == -1 or played.memory["actors"][i] == learner
            ended[i] += played.memory["dones"][i]
            assert any(played.row("rewards", i)) <= played.memory["dones"][i]
        played.vector.choose()
        played.vector.step()
    assert name.startswith("contigo") or (ended[0] and ended[1])


# ---- Snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL_GAMES)
def test_a_snapshot_continues_identically(name: str):
    first, second = (Played(ALL_GAMES[name], {}, seeds) for seeds in ([1, 2, 3], [4, 5, 6]))
    for _ in range(15):
        first.vector.choose()
        first.vector.step()
    second.vector.restore(first.vector.snapshot())
    for _ in range(40):
        assert first.vector.snapshot() == second.vector.snapshot()
        for played in (first, second):
            played.vector.choose()
            played.vector.step()
    names = [*first.memory]
    finals = names.index("finals")
    for index, (ours, theirs) in enumerate(zip(first.contents(), second.contents(), strict=True)):
        assert ours == theirs or index == finals, names[index]


def test_rejects_other_snapshots():
    vector = Played(ALL_GAMES["pig"], {}, [1, 2]).vector
    kept = vector.snapshot()
    for other in (
        Played(ALL_GAMES["pig"], {"target": 30}, [1, 2]).vector,
        Played(ALL_GAMES["kuhn-poker"], {}, [1, 2]).vector,
        Played(ALL_GAMES["pig"], {}, [1, 2, 3]).vector,
        Played(ALL_GAMES["pig"], {}, [1, 2], seats=[0, 1]).vector,
    ):
        with pytest.raises(TokenMalformed):
            vector.restore(other.snapshot())
    for data in (b"", kept[:-1], kept + b"\0", kept[:40]):
        with pytest.raises(TokenMalformed):
            vector.restore(data)


def test_restores_all_games_or_none():
    vector = Played(ALL_GAMES["tic-tac-toe"], {}, [1, 2]).vector
    kept = vector.snapshot()
    vector.choose()
    vector.step()
    after = vector.snapshot()
    with pytest.raises(TokenInvalid, match="game 1"):
        vector.restore(kept[:-1] + b"\xff")
    assert vector.snapshot() == after


# ---- Memory --------------------------------------------------------------------------------------


class Tensor:
    """An array that lends its memory through DLPack alone."""

    def __init__(self, kept: np.ndarray[Any, Any]) -> None:
        self.kept = kept

    def __dlpack__(self) -> Any:
        return self.kept.__dlpack__()


def test_takes_tensors():
    game = ALL_GAMES["connect-four"]
    plain = Played(game, {}, range(4))
    arrays: dict[str, Any] = {
        "actions": np.zeros(4, np.int64),
        "masks": np.zeros((4, 7), np.bool_),
        "actors": np.zeros((4, 1), np.int32),
        "rewards": np.zeros((4, 2), np.float32),
    }
    tensors: dict[str, Any] = {name: Tensor(one) for name, one in arrays.items()}
    vector = Vector(game, {}, range(4), **tensors)
    for _ in range(30):
        for played in (plain.vector, vector):
            played.choose()
            played.step()
        for name, one in arrays.items():
            assert one.tobytes() == bytes(memoryview(plain.memory[name]).cast("B")), name


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("actions", np.zeros(3, np.int64)),
        ("actions", np.zeros(4, np.float32)),
        ("actions", np.zeros(4, np.uint8)),
        ("actions", np.zeros(8, np.int64)[::2]),
        ("actions", b"1234"),
        ("actions", np.frombuffer(bytearray(33), np.int64, offset=1)),
        ("actions", "1234"),
        ("actions", None),
        ("masks", np.zeros((4, 8), np.uint8)),
        ("masks", np.zeros((4, 7), np.int32)),
        ("actors", np.zeros(4, np.int64)),
        ("rewards", np.zeros((4, 2), np.float64)),
        ("rewards", Tensor(np.zeros((4, 2), np.float64))),
        ("rewards", Tensor(np.zeros((4, 4), np.float32)[:, ::2])),
        ("rewards", Tensor(np.broadcast_to(np.float32(0), (4, 2)))),
        ("actions", Tensor(np.frombuffer(bytes(32), np.int64))),
        ("dones", np.zeros(4, np.float32)),
        ("illegal", Tensor(np.zeros(4, np.int32))),
    ],
)
def test_rejects_memory_that_does_not_fit(field: str, given: Any):
    arrays = {"actions": np.zeros(4, np.int64), field: given}
    with pytest.raises(InvalidField) as caught:
        Vector(ALL_GAMES["connect-four"], {}, range(4), **arrays)
    assert caught.value.field == field


def test_rejects_invalid_arguments():
    game, actions = ALL_GAMES["pig"], np.zeros(2, np.int64)
    with pytest.raises(InvalidField, match="seeds"):
        Vector(game, {}, [], actions=actions)
    with pytest.raises(OptionError, match="one for each"):
        Vector(game, [{}, {}, {}], [1, 2], actions=actions)
    with pytest.raises(OptionError):
        Vector(game, {"target": 1}, [1, 2], actions=actions)
    with pytest.raises(InvalidField, match="from 1 to"):
        Vector(game, {}, [1, 2], actions=actions, threads=0)
    for seats in ([0], [0, 2], [-2, 0]):
        with pytest.raises(InvalidField) as caught:
            Vector(game, {}, [1, 2], actions=actions, seats=seats)
        assert caught.value.field == "seats"
    vector = Vector(game, {}, [1, 2], actions=actions)
    with pytest.raises(InvalidField, match="2 seeds"):
        vector.reset([1])
    with pytest.raises(InvalidField, match="from 0 to 1"):
        vector.position(2)
    with pytest.raises(InvalidField, match="3 items"):
        vector.list_legal(array("q", [0, 0]))


def test_reset_repeats_or_replaces_the_episodes():
    played = Played(ALL_GAMES["pig"], {}, [1, 2])
    start = played.vector.snapshot()
    played.vector.choose()
    played.vector.step()
    played.vector.reset()
    assert played.vector.snapshot() == start
    played.vector.reset([2, 1])
    seeds = struct.unpack_from("<Q", played.vector.snapshot(), 12)
    assert seeds == (2,)


def test_gives_up_some_episodes():
    played = Played(ALL_GAMES["tic-tac-toe"], {}, [1, 2])
    second = Reference(ALL_GAMES["tic-tac-toe"], {}, 2)
    for _ in range(2):
        played.vector.choose()
        played.vector.step()
        second.step(played.memory["actions"][1])
    played.vector.restart(bytearray(b"\1\0"))
    assert played.vector.position(0).ply == 0
    assert played.mask(0) == [*range(9)]
    check(played, 1, second)


def test_memory_is_kept_while_it_is_lent():
    actions = bytearray(8)
    vector = Vector(
        ALL_GAMES["pig"],
        {},
        [1],
        actions=memoryview(actions).cast("q"),
        dones=(dones := bytearray(1)),
    )
    with pytest.raises(BufferError):
        dones.append(0)
    del vector
    dones.append(0)
