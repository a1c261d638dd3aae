"""Matches: history, branches and records."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from tablier_client import (
    AsyncClient,
    AsyncMatch,
    Client,
    Match,
    Move,
    RecordedMove,
    read_record,
    write_record,
)
from tablier_client.errors import IllegalMove, IncompleteRecord, InvalidField, InvalidRecord

GAME: Final = "contigo-alignment"
LINE = ("a6-a4", "13+1.1")
BRANCHED = (Path(__file__).parents[1] / "data" / "records" / "branched.txt").read_text()


@pytest.fixture
def client(address: str) -> Iterator[Client]:
    with Client(address) as client:
        yield client


@pytest.fixture
def match(client: Client) -> Match:
    return Match.start(client, GAME, seed=7, first=0)


def test_undo_and_redo(match: Match) -> None:
    start = match.state
    states = [step.state for step in start.steps(*LINE)]
    assert match.play(*LINE) == match.state == states[1]
    assert [(step.move.notation, step.state) for step in match.history] == list(
        zip(LINE, states, strict=True)
    )
    assert match.undo() == states[0]
    assert match.undo() == start
    assert match.history == []
    assert match.redo(2) == states[1]
    assert match.undo(2) == start
    for count in (1, -1):
        with pytest.raises(InvalidField) as failure:
            match.undo(count)
        assert failure.value.field == "count"
    with pytest.raises(InvalidField, match="0 to 2"):
        match.redo(3)
    assert match.state == start


def test_an_illegal_move_changes_nothing(match: Match) -> None:
    match.play(LINE[0])
    state = match.state
    with pytest.raises(IllegalMove):
        match.play("13+1.1", "13+1.1")
    assert match.state == state
    assert match.branches == []


def test_branches(match: Match) -> None:
    match.play(*LINE)
    match.undo()
    other = match.play("13-1.1")
    match.undo()
    assert match.branches == [Move("13-1.1", 0), Move("13+1.1", 0)]
    assert match.redo() == other
    match.undo()
    # Playing a move again enters its branch.
    match.play(LINE[1])
    match.play("a1-a3")
    match.undo(2)
    assert match.branches == [Move("13+1.1", 0), Move("13-1.1", 0)]
    assert match.redo(2).ply == 3


def test_a_record_has_the_line_the_branches_and_the_notes(match: Match) -> None:
    match.players[0] = "Ann"
    match.note("A lesson.")
    match.play(LINE[0])
    match.note("Good.", values=(0.25004, -0.25004), clock=60_000, elapsed=2_000)
    match.play(LINE[1])
    match.undo()
    match.play("13-1.1")
    match.undo()
    record = match.record()
    assert record.moves == (
        RecordedMove(0, "a6-a4", (0.25, -0.25), 60_000, 2_000, "Good."),
        RecordedMove(0, "13-1.1", variations=((RecordedMove(0, "13+1.1"),),)),
    )
    assert (record.players, record.comment) == ({0: "Ann"}, "A lesson.")
    assert (record.seed, record.options, record.rules) == (7, {"first": 0}, 1)
    assert record.date is not None
    assert abs((datetime.now(UTC) - record.date).total_seconds()) < 3600
    assert read_record(write_record(record)) == record


def test_notes_need_a_move(match: Match) -> None:
    with pytest.raises(InvalidField, match="no move"):
        match.note("x", clock=1)


def test_a_match_from_a_record_gives_the_same_record(client: Client) -> None:
    match = Match.from_record(client, BRANCHED)
    assert [step.move.notation for step in match.history] == [*LINE, "a1-a3"]
    match.undo(2)
    assert [move.notation for move in match.branches] == ["13+1.1", "13-1.1", "0+1"]
    assert write_record(match.record()) == BRANCHED
    assert Match.from_record(client, read_record(BRANCHED)).state.ply == 3


def test_players_can_resign(match: Match) -> None:
    match.play(LINE[0])
    match.result = (-1.0, 1.0)
    record = match.record()
    assert record.result == (-1.0, 1.0)
    again = Match.from_record(match.state.client, record)
    assert again.record() == record
    # A player who plays on has not resigned.
    again.play(LINE[1])
    assert again.record().result == ()


def test_a_record_for_a_seat_has_what_it_saw(client: Client) -> None:
    match = Match.start(client, "contrast", seed=3, seats=3)
    match.players[1] = "Ben"
    for seat in (0, 1, 2):
        match.play(match.state.moves(seat)[0])
        match.note("A secret.", elapsed=1000)
    whole, seen = match.record(), match.record(viewer=1)
    assert (seen.viewer, seen.seed, seen.players) == (1, None, {1: "Ben"})
    assert [move.notation for move in seen.moves] == ["", whole.moves[1].notation, ""]
    assert [move.elapsed for move in seen.moves] == [1000] * 3
    text = write_record(seen)
    assert "secret" not in text
    assert "Seed" not in text
    with pytest.raises(IncompleteRecord, match="2 of its 3 moves are hidden") as failure:
        Match.from_record(client, text)
    assert failure.value.reason == "RECORD_INCOMPLETE"


def test_a_match_without_a_seed_draws_one(client: Client) -> None:
    seeds = {Match.start(client, GAME).record().seed for _ in range(3)}
    assert len(seeds) == 3


def test_a_record_for_a_seat_of_an_open_game_can_be_played_on(match: Match) -> None:
    match.play(*LINE)
    seen = write_record(match.record(viewer=1))
    again = Match.from_record(match.state.client, seen)
    assert again.state == match.state
    assert again.play("a1-a3").ply == 3


def test_long_matches_are_loaded_in_parts(client: Client) -> None:
    match = Match.start(client, "contrat500", seed=1)
    state = match.state
    moves = []
    while state.ply < 1500:
        listed = state.moves()
        moves.append(listed[len(listed) // 2])
        state = state.play(moves[-1])
    for begin in range(0, len(moves), 1000):
        match.play(*moves[begin : begin + 1000])
    again = Match.from_record(client, match.record())
    assert (again.state, len(again.history)) == (match.state, 1500)


def test_errors_of_records_are_typed(client: Client) -> None:
    with pytest.raises(InvalidRecord) as failure:
        Match.from_record(client, "nonsense")
    assert (failure.value.line, failure.value.column) == (1, 9)
    record = replace(read_record(BRANCHED), scores=(1.0, 1.0))
    with pytest.raises(InvalidRecord) as failure:
        client.replay_record(record)
    assert failure.value.field == "record.Scores"
    with pytest.raises(InvalidField):
        client.replay_record(7)  # type: ignore[arg-type]


def test_replays_from_a_record(client: Client) -> None:
    replayed = client.replay_record(BRANCHED, steps=True, viewer=1)
    same = client.replay(GAME, [*LINE, "a1-a3"], seed=7, first=0, steps=True)
    assert [step.move for step in replayed.steps] == [step.move for step in same.steps]
    assert replayed.state.seed is None
    assert replayed.record is not None
    assert (replayed.record.viewer, replayed.record.players) == (1, {0: "Ann"})
    assert client.replay_record(BRANCHED).record == read_record(BRANCHED)
    assert client.replay_record(BRANCHED).state.seed == 7


def test_asyncio_has_the_same_matches(address: str) -> None:
    async def play() -> str:
        async with AsyncClient(address) as client:
            match = await AsyncMatch.from_record(client, BRANCHED)
            match.undo()
            await match.play("a1-a3")
            assert write_record(await match.record()) == BRANCHED
            other = await AsyncMatch.start(client, GAME, seed=7, first=0)
            await other.play(*LINE)
            return write_record(replace(await other.record(viewer=0), date=None))

    text = asyncio.run(play())
    with Client(address) as client:
        assert text == write_record(client.record(GAME, LINE, seed=7, first=0, viewer=0))
