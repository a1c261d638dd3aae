"""The laws of a game's Python interface: errors, tokens, views and drawings.

tablier_core.testing.guards has the laws of the C interface. Every function takes a position and
raises AssertionError if it breaks the law.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from tablier_core import codec, languages
from tablier_core.drawing import Look
from tablier_core.errors import GameOver, MoveIllegal, MoveUnparsable, WrongSeat
from tablier_core.interpretation.reader import Interpretation, Outcome, Reader
from tablier_core.languages import IN_ENGLISH
from tablier_core.position import REFEREE, Game, Position
from tablier_core.telling import BUTTON

from tests.core.sloppy import decorated
from tests.core.variants import ALL_GAMES, Options

# No game takes longer in random play.
MAX_PLIES = 20_000
# A single one of what drawings count, as in "1 contracts".
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
WRONG_PLURAL = re.compile(
    r"\b1 +(beads|cards|chips|contracts|deals|diamonds|dollars|events|images|points|rounds|tiles"
    r"|tokens|turns)\b"
)
# For the law of memory: how many worlds to draw before and after a move, and how often a value must
# be expected in the first before its absence counts as a fault.
WORLDS = 200
EXPECTED = 25


class Step(NamedTuple):
    """A move of a random game, and the positions before and after it."""

    before: Position
    seat: int
    action: int
    after: Position


def play(game: Game, options: Options, seed: int) -> Iterator[Step]:
    """Play a random game to its end."""
    chance = random.Random(seed)
    position = game.start(options, seed)
    for _ in range(MAX_PLIES):
        if position.over:
            return
        seat = chance.choice(position.actors)
        action = chance.choice(position.moves(seat))
        after = position.apply(seat, action)
        yield Step(position, seat, action, after)
        position = after
    raise AssertionError(f"{game.name} {options}, seed {seed}: no end after {MAX_PLIES} moves")


def walk(game: Game, options: Options, seed: int) -> Iterator[Position]:
    """Yield the positions of a random game, from the first to the last."""
    yield game.start(options, seed)
    for step in play(game, options, seed):
        yield step.after


def sample(game: Game, options: Options, seed: int, count: int) -> list[Position]:
    """Return the first and the last position of a random game, and some in between."""
    positions = list(walk(game, options, seed))
    between = random.Random(seed).sample(positions, min(count, len(positions)))
    return [positions[0], *between, positions[-1]]


def check_refusals(position: Position) -> None:
    """Illegal moves raise the error that states the reason."""
    game = position.game
    packed = position.pack()
    outsiders = [seat for seat in range(position.seats) if seat not in position.actors]
    if position.over:
        with pytest.raises(GameOver):
            position.apply(0, 0)
    else:
        seat = position.actors[0]
        legal = set(position.moves(seat))
        for move in illegal_actions(game, legal):
            with pytest.raises(MoveIllegal):
                position.apply(seat, move)
        with pytest.raises(MoveUnparsable):
            position.apply(seat, game.num_actions)
        for nobody in (-2, position.seats):
            with pytest.raises(WrongSeat):
                position.apply(nobody, position.moves(seat)[0])
        for outsider in outsiders:
            with pytest.raises(WrongSeat):
                position.apply(outsider, position.moves(seat)[0])
    for nobody in (-2, position.seats):
        with pytest.raises(WrongSeat):
            position.moves(nobody)
    with pytest.raises(MoveUnparsable):
        game.write_move(game.num_actions)
    assert position.pack() == packed


def illegal_actions(game: Game, legal: set[int]) -> list[int]:
    """Return some illegal actions: at both ends of the action space and in between."""
    spread = range(0, game.num_actions, max(1, game.num_actions // 16))
    return [move for move in {0, *spread, game.num_actions - 1} if move not in legal]


def check_token(position: Position) -> None:
    """Decoding a token returns the same position, and equal positions have equal tokens."""
    token = codec.encode(position)
    again = codec.decode(token, ALL_GAMES | {position.game.name: position.game})
    assert again == position
    assert (again.ply, again.viewer) == (position.ply, position.viewer)
    assert codec.encode(again) == token


def check_purity(position: Position) -> None:
    """Applying a move returns a new position and does not change the old one."""
    packed, ply = position.pack(), position.ply
    for seat in position.actors:
        after = position.apply(seat, position.moves(seat)[-1])
        assert after.ply == ply + 1
        assert after.viewer == position.viewer
    assert (position.pack(), position.ply) == (packed, ply)


def check_outcome(position: Position) -> None:
    """There are scores at any time and returns at the end, one per seat."""
    assert len(position.scores) == position.seats
    assert len(position.returns) == (position.seats if position.over else 0)
    assert all(-1 <= value <= 1 for value in position.returns)


def check_drawings(position: Position) -> None:
    """Every viewer gets a text and a well-formed SVG, with numbers in correct English."""
    for viewer in range(REFEREE, position.seats):
        for language in LANGUAGES:
            drawn = position.draw_text(viewer, language)
            assert drawn.strip()
            root = ElementTree.fromstring(position.draw_svg(viewer, Look(language=language)))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            for words in (drawn, *root.itertext()):
                assert not WRONG_PLURAL.search(words), words


def check_secrecy(position: Position, seed: int) -> None:
    """No answer to a seat leaks hidden information.

    Every state of the seat's information set must have the same view, drawings, moves and view
    token, byte for byte.
    """
    for viewer in range(position.seats):
        world = position.determinize(viewer, seed)
        assert world.infoset(viewer) == position.infoset(viewer)
        assert world.moves(viewer) == position.moves(viewer)
        assert world.observe(viewer) == position.observe(viewer)
        assert world.draw_text(viewer) == position.draw_text(viewer)
        assert world.draw_svg(viewer) == position.draw_svg(viewer)
        view = position.view_of(viewer)
        assert codec.encode(view) == codec.encode(world.view_of(viewer))
        assert view.viewer == viewer
        # The view token shows the seat what the true state shows it.
        assert view.observe(viewer) == position.observe(viewer)
        check_token(view)


def check_timing(position: Position, seed: int) -> None:
    """What was drawn before makes nothing faster that only other secrets distinguish from it.

    Otherwise a seat could draw the worlds that it thinks possible, and learn from the time of the
    answers which of them somebody else had looked at. So a cache may be keyed by what everybody
    sees, but not by what only some do.
    """
    draw_for_all(position)
    for viewer in range(position.seats):
        world = position.determinize(viewer, seed)
        before = count_misses()
        draw_for_all(world)
        assert count_misses() == before


def draw_for_all(position: Position) -> None:
    """Draw what every viewer sees, and list the moves of every seat to move in words."""
    for viewer in range(REFEREE, position.seats):
        position.draw_text(viewer)
        position.draw_svg(viewer)
    for seat in position.actors:
        position.words(seat)
        position.paths(seat)


def count_misses() -> Counter[str]:
    """How often each cache of the core did not have what was asked for."""
    # Reading the whole heap is slow, so caches are looked up where modules keep them.
    caches = {
        f"{name}.{key}": value
        for name, module in list(sys.modules.items())
        if name.startswith(("tablier_core", "tests.core"))
        for key, value in vars(module).items()
        if hasattr(value, "cache_info")
    }
    return Counter({name: cache.cache_info().misses for name, cache in caches.items()})


def check_features(position: Position, seed: int) -> None:
    """The numbers for learners are laid out as declared and depend only on what the seat knows."""
    game = position.game
    for seat in range(position.seats):
        features = position.features(seat)
        numbers = slices_of(position, seat)
        assert numbers["phase"] == [float(name == position.phase) for name in game.phases]
        # As the seat sees it: itself first.
        places = [(seat + place) % position.seats for place in range(position.seats)]
        acting = [float(place in position.actors) for place in places]
        assert numbers["actors"] == acting + [0.0] * (game.max_seats - position.seats)
        for world in (position.determinize(seat, seed), position.view_of(seat)):
            assert world.features(seat) == features
            assert world.mask(seat) == position.mask(seat)
        room = bytearray(len(features))
        position.write_features(seat, room)
        assert room == features
        moves = position.moves(seat)
        assert list(memoryview(position.actions(seat)).cast("I")) == moves
        assert read_mask(game, position.mask(seat)) == moves


def slices_of(position: Position, seat: int) -> dict[str, list[float]]:
    """The features of a seat by the name of their slice."""
    numbers = list(map(float, memoryview(position.features(seat)).cast("f")))
    assert len(numbers) == position.game.num_features
    return {
        each.name: numbers[each.offset : each.offset + each.size] for each in position.game.features
    }


def read_mask(game: Game, mask: bytes) -> list[int]:
    """List the actions that a mask marks."""
    assert len(mask) == game.mask_size
    if game.mask_has_bits:
        marked = int.from_bytes(mask, "little")
        return [action for action in range(8 * len(mask)) if marked >> action & 1]
    assert set(mask) <= {0, 1}
    return [action for action, marked in enumerate(mask) if marked]


def check_slices(game: Game) -> None:
    """Every game names its features in the same way."""
    names = [each.name for each in game.features]
    assert len(names) == len(set(names))
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names)
    assert all(each.low < each.high and each.meaning for each in game.features)
    assert game.features_version > 0
    phase, actors = game.features[:2]
    assert (phase.name, phase.shape, phase.low, phase.high) == ("phase", (len(game.phases),), 0, 1)
    assert (actors.name, actors.shape) == ("actors", (game.max_seats,))


def frozen(part: Any) -> Any:
    """A view, or a part of it, as a value that a dictionary can have as its key."""
    if isinstance(part, Mapping):
        return tuple((name, frozen(value)) for name, value in sorted(part.items()))
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return frozen(dataclasses.astuple(part))
    return tuple(map(frozen, part)) if isinstance(part, tuple | list) else part


class SeenByLearners:
    """Features are the view as numbers: equal exactly for positions with equal views.

    Otherwise a learner would miss something that the seat sees, or see something that it does not.
    Positions of many games, and near misses of them, show it.
    """

    def __init__(self) -> None:
        self._features: dict[tuple[int, int, Any], bytes] = {}
        self._views: dict[tuple[int, int, bytes], tuple[Any, list[int]]] = {}

    def add(self, position: Position) -> None:
        """Compare a position with all others that were added."""
        for seat in range(position.seats):
            features = position.features(seat)
            view = frozen(position.observe(seat))
            known = self._features.setdefault((position.seats, seat, view), features)
            assert known == features, f"two features of seat {seat} for {view}"
            facts = view, position.moves(seat)
            known_facts = self._views.setdefault((position.seats, seat, features), facts)
            assert known_facts == facts, f"the same features of seat {seat}"


class Translated(languages.Language):
    """A language in which every text that is asked for must have a translation."""

    def gettext(self, text: str) -> str:
        assert text in self._texts, f"{text!r} has no translation"
        return super().gettext(text)

    def pgettext(self, context: str, text: str) -> str:
        assert context + languages.SEPARATOR + text in self._texts, f"{text!r} has no translation"
        return super().pgettext(context, text)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        assert singular in self._texts, f"{singular!r} has no translation"
        return super().ngettext(singular, plural, number)


def all_languages() -> list[languages.Language]:
    """English, and every other language in its strict form."""
    others = [languages.catalogue(tag) for tag in languages.LANGUAGES if tag != languages.ENGLISH]
    return [languages.IN_ENGLISH, *(Translated(each._texts, each._form) for each in others)]


LANGUAGES = all_languages()


def check_words(step: Step, seed: int) -> None:
    """Every move is described in every language, and a viewer learns only what it knows.

    A viewer reads the same about all moves, in all worlds, that look the same to it.
    """
    before, seat, action, after = step
    chance = random.Random(seed)
    for language in LANGUAGES:
        for mover in before.actors:
            words = before.words(mover, language)
            check_sentences(words)
            player = before.game.player_name(mover, language)
            assert all(sentence.startswith(f"{player} ") for sentence in words)
            assert len(words) == len(set(words)) == before.count_moves(mover)
        for viewer in range(REFEREE, before.seats):
            story = before.story(after, seat, action, viewer, language)
            check_sentences([story])
            if viewer == REFEREE:
                continue
            world = before.determinize(viewer, seed)
            if viewer == seat:
                assert world.words(seat, language) == before.words(seat, language)
            for other in follow(step, viewer, world, chance):
                # Several moves can lead to the same position. A seat knows which one it made.
                move = action if viewer == seat else played_between(world, other, seat)
                assert world.story(other, seat, move, viewer, language) == story


def check_sentences(sentences: list[str]) -> None:
    """Sentences for people: one line, capitalised, every brace filled in, no plural of one."""
    for sentence in sentences:
        # Python counts the no-break spaces of French as not printable.
        assert sentence.replace(NO_BREAK_SPACE, " ").isprintable(), sentence
        assert sentence == sentence.strip(), sentence
        assert sentence[:1].upper() == sentence[:1], sentence
        assert not set("{}") & set(sentence), sentence
        assert not WRONG_PLURAL.search(sentence), sentence


def played_between(before: Position, after: Position, seat: int) -> int:
    """The move that leads from one position to another."""
    return next(move for move in before.moves(seat) if before.apply(seat, move) == after)


def check_reasons(position: Position, seed: int) -> None:
    """Every illegal move has a reason, which depends only on what the seat knows.

    So has every move of a seat that is not to move, and of the table, which learns only what
    every seat knows.
    """
    chance = random.Random(seed)
    for seat in range(REFEREE, position.seats) if position.actors else ():
        illegal = illegal_actions(position.game, set(position.moves(seat)))
        if seat in position.actors:
            worlds = [position.determinize(seat, seed + number) for number in range(2)]
        else:
            viewers = [seat] if seat != REFEREE else range(position.seats)
            worlds = [position.determinize(viewer, seed) for viewer in viewers]
            illegal = chance.sample(illegal, 2)
        for move in illegal:
            for language in LANGUAGES:
                reason = position.reason(seat, move, language)
                check_sentences([reason])
                assert all(world.reason(seat, move, language) == reason for world in worlds)


def check_paths(position: Position, seed: int) -> None:
    """Every move has its own path of parts, which are in the seat's picture or are buttons."""
    for seat in position.actors:
        paths = position.paths(seat)
        assert len(paths) == len(set(paths)) == position.count_moves(seat)
        assert all(paths)
        drawn = set(re.findall(r'data-part="([^"]+)"', position.draw_svg(seat)))
        shown = {name for path in paths for name in path if not name.startswith(BUTTON)}
        assert shown <= drawn, shown - drawn
        assert position.determinize(seat, seed).paths(seat) == paths


# How people write a move around what they mean.
DECORATIONS = (" {}\n", "**{}**", "`{}`.", "My move: {}", "1. {}", "Je joue \u00ab {} \u00bb !")


def interpret(
    position: Position, seat: int, text: str, language: languages.Language = IN_ENGLISH
) -> Interpretation:
    """Interpret a text."""
    return read_all(Reader(position, seat), text, language)


def read_all(
    reader: Reader, text: str, language: languages.Language = IN_ENGLISH
) -> Interpretation:
    """Interpret a text without a pause."""
    work = reader.read(text, language)
    try:
        while True:
            next(work)
    except StopIteration as done:
        understood: Interpretation = done.value
        return understood


def check_reading(
    position: Position, seat: int, sampled: int, chance: random.Random
) -> Counter[Outcome]:
    """What is written for a legal move is read as that move, or it is among the candidates.

    Checks the notation of some of the moves, their words in every language, and one of these with
    a decoration. Returns how often there was each outcome.
    """
    reader = Reader(position, seat)
    moves = position.moves(seat)
    indices = chance.sample(range(len(moves)), min(sampled, len(moves)))
    outcomes: Counter[Outcome] = Counter()
    written = [position.notations(seat)]
    written += [position.words(seat, languages.catalogue(tag)) for tag in languages.LANGUAGES]
    for index in indices:
        texts = [each[index] for each in written]
        assert read_all(reader, texts[0]) == (Outcome.EXACT, (moves[index],), ""), texts[0]
        decorated = chance.choice(DECORATIONS).format(chance.choice(texts))
        for text in (*texts[1:], decorated):
            read = read_all(reader, text)
            outcomes[read.outcome] += 1
            assert read.outcome is not Outcome.NONE, text
            assert moves[index] in read.moves, text
            assert read.outcome is Outcome.AMBIGUOUS or len(read.moves) == 1, text
    return outcomes


def check_reading_of_illegal(
    position: Position, seat: int, elsewhere: Iterable[int], chance: random.Random
) -> Counter[Outcome]:
    """The notation of a move that is not legal here is never read as another move.

    `elsewhere` are moves that are legal in other positions. Returns how often there was each
    outcome.
    """
    reader = Reader(position, seat)
    legal = set(position.moves(seat))
    outcomes: Counter[Outcome] = Counter()
    for move in elsewhere:
        if move in legal:
            continue
        notation = position.game.write_move(move)
        around = [each.format(notation) for each in DECORATIONS]
        for text in (
            notation,
            notation.upper(),
            *around,
            json.dumps({"move": chance.choice(around)}),
            decorated(notation, chance),
        ):
            language = chance.choice(LANGUAGES)
            read = read_all(reader, text, language)
            outcomes[read.outcome] += 1
            if notation.isdecimal():
                # It may also be a number in the list of moves, or a label beside another number.
                assert read.outcome in (Outcome.NONE, Outcome.AMBIGUOUS), text
                continue
            assert read.outcome is Outcome.NONE, text
            assert read.reason == position.reason(seat, move, language), text
    return outcomes


def check_reading_secrecy(position: Position, seed: int) -> None:
    """How a text is read depends only on what the seat knows."""
    chance = random.Random(seed)
    for seat in position.actors:
        world = position.determinize(seat, seed)
        readers = Reader(position, seat), Reader(world, seat)
        illegal = illegal_actions(position.game, set(position.moves(seat)))
        texts = [
            "1",
            "Je ne sais pas",
            chance.choice(position.words(seat)).upper(),
            *(position.game.write_move(move) for move in illegal[:2]),
            f'{{"seat": {seat}, "action": {chance.choice(position.moves(seat))}}}',
            " or ".join(chance.choices(position.notations(seat), k=2)),
        ]
        for text in texts:
            language = chance.choice(LANGUAGES)
            read, other = (read_all(reader, text, language) for reader in readers)
            assert read == other
            told = position.words(seat, language, read.moves)
            assert world.words(seat, language, read.moves) == told


def check_memory(step: Step, viewer: int, seed: int) -> None:
    """No world contradicts what the seat saw before.

    A world after a move must follow from a world before it by a move that looks the same to the
    seat. By induction, it then agrees with all that the seat has seen since the game began. What is
    compared are the values of single bytes: one that is frequent after the move but never follows
    from a world before it is impossible.
    """
    chance = random.Random(seed)
    followers = [
        world.pack()
        for number in range(WORLDS)
        for world in follow(step, viewer, step.before.determinize(viewer, seed + number), chance)
    ]
    # A chance event that the seat sees, such as a deal, seldom happens again.
    if len(followers) < WORLDS // 4:
        return
    worlds = [step.after.determinize(viewer, seed + WORLDS + i).pack() for i in range(WORLDS)]
    frequent = WORLDS * EXPECTED // len(followers)
    for at, drawn in enumerate(zip(*worlds, strict=True)):
        possible = {follower[at] for follower in followers}
        for value, number in Counter(drawn).items():
            assert value in possible or number < frequent, (
                f"byte {at} is {value} in {number} of {WORLDS} worlds of seat {viewer} at ply "
                f"{step.after.ply} but in none of {len(followers)} that follow from the ply before"
            )


def check_public_moves(step: Step, viewer: int, seed: int) -> bool:
    """What a seat sees of a move is the same for all moves that it cannot distinguish.

    Returns whether there is more than one.
    """
    game = step.before.game
    others = [each[:2] for each in look_alikes(step, viewer, seed)]
    seen = {seen_of(game, *move, viewer) for move in ((step.seat, step.action), *others)}
    assert len(seen) == 1, f"seat {viewer} cannot distinguish {seen} at ply {step.before.ply}"
    return len(others) > 1


def look_alikes(step: Step, viewer: int, seed: int) -> Iterator[tuple[int, int, Position]]:
    """Yield moves in a world of the viewer that leave it with the knowledge that it now has.

    There are none for its own moves, which it knows, and for the last of a game: the state of a
    finished game need not contain all that was seen.
    """
    if step.seat == viewer or step.after.over:
        return
    world = step.before.determinize(viewer, seed)
    for seat in range(REFEREE, world.seats):
        for action in world.moves(seat) if seat != viewer else ():
            after = world.apply(seat, action)
            if after.infoset(viewer) == step.after.infoset(viewer):
                yield seat, action, after


def seen_of(game: Game, seat: int, action: int, viewer: int) -> tuple[int, str]:
    """Return what a viewer sees of a move: the seat, and the notation unless it is hidden."""
    known = viewer == seat or game.is_public(action)
    return seat, game.write_move(action) if known else ""


def follow(step: Step, viewer: int, world: Position, chance: random.Random) -> list[Position]:
    """Play a move in a world that looks to the viewer like the true one, if there is any."""
    moves = world.moves(step.seat)
    if step.seat == viewer:
        moves = [step.action]
    for move in chance.sample(moves, len(moves)):
        after = world.apply(step.seat, move)
        if after.infoset(viewer) == step.after.infoset(viewer):
            return [after]
    return []


def check_worlds_differ(game: Game, options: Options, seed: int) -> None:
    """Where a seat sees less than the referee, its worlds are not always the truth.

    A `determinize` that changes nothing would keep all other laws but hide nothing.
    """
    hidden = [
        (position, viewer)
        for i in range(5)
        for position in sample(game, options, seed + i, count=8)
        for viewer in range(position.seats)
        if position.observe(viewer) != position.observe(REFEREE)
    ]
    assert not hidden or any(
        position.determinize(viewer, seed).observe(REFEREE) != position.observe(REFEREE)
        for position, viewer in hidden
    )
