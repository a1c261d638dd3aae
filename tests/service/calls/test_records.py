"""ReplayGame from a game record, and to one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client.records import RecordedMove, read_record, write_record
from tablier_core.errors import InvalidField, MoveIllegal, MoveUnparsable
from tablier_core.registry import GAMES
from tablier_service.errors import RecordIncomplete, RecordMalformed, RecordUnsupported

from tests.clients.mutated_records import mutate
from tests.service.assembly import Ask
from tests.service.calls.replayed_records import (
    annotated,
    check_replay,
    record_request,
    replay_request,
)

every_game = pytest.mark.parametrize("name", sorted(GAMES))


@every_game
def test_a_replay_from_its_record_is_the_same_replay(name: str, ask: Ask):
    game = GAMES[name]
    request = replay_request(game, 5, limit=16384)
    replayed = ask(request)
    record = read_record(replayed.record)
    assert (record.game, record.rules, record.seed) == (name, game.rules_version, 5)
    assert record.result == tuple(replayed.situation.returns) != ()
    assert record.scores == tuple(replayed.situation.scores)
    assert len(record.moves) == len(request.moves)
    assert ask(record_request(replayed.record)) == replayed


@every_game
def test_what_people_added_to_a_record_is_kept(name: str, ask: Ask):
    text = annotated(ask(replay_request(GAMES[name], 6, limit=20)).record, 6)
    assert ask(record_request(text)).record == text


@every_game
def test_a_record_for_a_seat_has_no_seed_and_no_notes_of_others(name: str, ask: Ask):
    game = GAMES[name]
    plain = ask(replay_request(game, 7, limit=60))
    for viewer in (0, 1):
        text = ask(record_request(annotated(plain.record, 7), viewer=viewer)).record
        seen, whole = read_record(text), read_record(plain.record)
        assert (seen.viewer, seen.seed, seen.players) == (viewer, None, {0: "Ann"})
        assert "Seed" not in text
        for noted in ("Hm.", "same", "%eval", "A game.", "Event"):
            assert noted not in text
        assert "%clk" in text
        for shown, move in zip(seen.moves, whole.moves, strict=True):
            known = move.seat == viewer or game.is_public(game.read_move(move.notation))
            assert (shown.seat, shown.notation) == (move.seat, move.notation if known else "")
        # With and without the record, the answer is the same, except for times and players.
        bare = ask(replay_request(game, 7, limit=60, viewer=viewer)).record
        moves = [RecordedMove(move.seat, move.notation) for move in seen.moves]
        assert write_record(replace(seen, moves=tuple(moves), players={})) == bare


@every_game
def test_a_record_for_a_seat_can_be_replayed_where_everything_is_known(name: str, ask: Ask):
    for seed in range(3):
        request = replay_request(GAMES[name], seed, limit=60, viewer=1)
        text = ask(request).record
        if GAMES[name].has_hidden_information:
            with pytest.raises(RecordIncomplete, match="this is what seat 1 saw: it has no seed"):
                ask(record_request(text))
        else:
            assert ask(record_request(text, viewer=1)).record == text
            request.ClearField("viewer")
            assert ask(record_request(text)).state == ask(request).state


def test_a_record_for_a_seat_does_not_depend_on_the_seed_where_it_decides_nothing(ask: Ask):
    texts = set()
    for seed in (3, 2**63):
        request = replay_request(GAMES["contigo-alignment"], 3, limit=0, viewer=0)
        request.seed = seed
        request.options["first"] = 1
        texts.add(ask(request).record)
    assert len(texts) == 1


def game_record(ask: Ask, name: str = "contigo-alignment", limit: int = 5) -> str:
    text: str = ask(replay_request(GAMES[name], 4, limit=limit)).record
    return text


@pytest.mark.parametrize("field", ["options", "seed", "moves"])
def test_what_a_record_contains_must_not_be_sent_twice(field: str, ask: Ask):
    request = record_request(game_record(ask))
    request.options["first"] = 1
    request.seed = 4
    request.moves.add()
    for other in {"options", "seed", "moves"} - {field}:
        request.ClearField(other)
    with pytest.raises(InvalidField) as failure:
        ask(request)
    assert failure.value.field == field


def test_the_game_must_be_that_of_the_record(ask: Ask):
    with pytest.raises(InvalidField) as failure:
        ask(pb.ReplayGameRequest(game="contract", record=game_record(ask)))
    assert failure.value.field == "game"


def test_other_versions_are_unsupported(ask: Ask):
    text = game_record(ask)
    for old, new, field in (
        ("record 1", "record 2", "record"),
        ('[Rules "1"]', '[Rules "9"]', "record.Rules"),
    ):
        with pytest.raises(RecordUnsupported) as failure:
            ask(record_request(text.replace(old, new)))
        assert failure.value.field == field


def test_an_error_names_the_line_of_the_move(ask: Ask):
    record = read_record(game_record(ask))
    for notation, error in (("a1-a1", MoveUnparsable), (record.moves[0].notation, MoveIllegal)):
        wrong = replace(record.moves[2], notation=notation)
        for moves in (
            (*record.moves[:2], wrong),
            (*record.moves[:2], replace(record.moves[2], variations=((wrong,),))),
        ):
            text = write_record(replace(record, moves=moves, scores=()))
            wrong_line = f"3. seat {wrong.seat}: {notation}"
            line = [each.strip() for each in text.split("\n")].index(wrong_line) + 1
            with pytest.raises(error) as failure:
                ask(record_request(text))
            assert failure.value.field == "record.moves"
            assert failure.value.message.startswith(f"line {line}: ")


@pytest.mark.parametrize("name", ["contract", "contrast"])
def test_an_error_does_not_tell_a_seat_which_move_is_wrong(name: str, ask: Ask):
    record = read_record(game_record(ask, name))
    messages = set()
    for number in range(3):
        moves = [*record.moves]
        moves[number] = replace(moves[number], notation="nonsense")
        with pytest.raises(MoveIllegal) as failure:
            ask(record_request(write_record(replace(record, moves=tuple(moves))), viewer=0))
        messages.add(str(failure.value))
    assert len(messages) == 1


def test_a_record_must_not_contradict_its_moves(ask: Ask):
    record = read_record(ask(replay_request(GAMES["contigo-alignment"], 4)).record)
    assert record.result
    for changes, field in (
        ({"scores": (9.0, 9.0)}, "record.Scores"),
        ({"result": tuple(-value or 1.0 for value in record.result)}, "record.Result"),
        ({"moves": record.moves[:5], "scores": (), "result": (1.0,)}, "record.Result"),
        ({"players": {2: "Ann"}}, "record.Seat2"),
    ):
        with pytest.raises(RecordMalformed) as failure:
            ask(record_request(write_record(replace(record, **changes))))
        assert failure.value.field == field
    valued = replace(record.moves[0], values=(0.5,))
    with pytest.raises(RecordMalformed, match="needs 2 values"):
        ask(record_request(write_record(replace(record, moves=(valued,), result=(), scores=()))))


def test_an_unfinished_game_may_have_a_result(ask: Ask):
    resigned = write_record(replace(read_record(game_record(ask)), result=(-1.0, 1.0)))
    assert ask(record_request(resigned)).record == resigned


def test_records_have_limits(ask: Ask):
    moves = (RecordedMove(0, "a6-a4"),) * 1025
    record = replace(read_record(game_record(ask)), moves=moves, scores=())
    with pytest.raises(InvalidField, match="at most 1024 moves"):
        ask(record_request(write_record(record), viewer=0))
    with pytest.raises(RecordMalformed, match="at most 1048576 characters"):
        ask(record_request("x" * 2**20 + "x"))


def test_mutated_records_get_only_typed_errors(ask: Ask):
    chance = random.Random(2)
    texts = [annotated(game_record(ask, name), 1) for name in sorted(GAMES)]
    replayed = sum(
        check_replay(ask, str(mutated))
        for _ in range(1500)
        if isinstance(mutated := mutate(chance.choice(texts), chance), str)
    )
    assert 50 < replayed < 1400


def test_a_move_of_the_table_is_recorded(ask: Ask):
    request = pb.ReplayGameRequest(game="contrast", seed=1, include_record=True)
    request.options["seats"] = 3
    state = ask(request).state
    for seat in (0, 1):
        listed = ask(pb.EnumerateMovesRequest(state=state, seat=seat)).seats[0]
        request.moves.append(game_pb2.Move(seat=seat, notation=listed.notations[0]))
        state = ask(request).state
    request.moves.append(game_pb2.Move(seat=-1, notation="exclude"))
    text = ask(request).record
    assert "\n3. table: exclude\n" in text
    assert ask(record_request(text)).record == text
