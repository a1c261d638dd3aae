"""`tablier play`: play in the terminal against the computer."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

import click
from rich.columns import Columns
from rich.text import Text
from tablier_client import Candidate, Interpretation, Record, TablierError, errors
from tablier_core.languages import catalogue
from tablier_core.position import Game
from tablier_core.rulebook import read_title
from tablier_service.calls.language import choose_language

from tablier_cli.arguments import command_error, find_game, is_file, parse_options
from tablier_cli.backend import State, open_backend
from tablier_cli.calls import LegalMove
from tablier_cli.catalogue import print_notation
from tablier_cli.flags import DEFAULT_LEVEL, RANDOM
from tablier_cli.keyboard import Choice, Keyboard, Leaving
from tablier_cli.ongoing_game import OngoingGame
from tablier_cli.record import read
from tablier_cli.rules import print_page
from tablier_cli.server import Server
from tablier_cli.terminal import Paint, fit, make_table, open_console

# The most moves listed in words, and without; a prefix narrows a longer list down.
LISTED_IN_WORDS = 20
LISTED = 60
# After a mistake, all legal moves are listed if there are no more than this.
FEW = 8
# Drawings with more lines are not drawn again within a turn; only new lines are.
LONG_DRAWING = 16
HINT_MILLISECONDS = 500
HINTS = 3
# The name of the person in a saved game.
PLAYER = "player"
# Those of the others are their level, or RANDOM.
LEVEL_NAME = re.compile("level ([1-9]|10)")


def N_(text: str) -> str:  # noqa: N802
    """Mark a text for translation."""
    return text


COMMANDS = (
    ("MOVE", N_("make this move, as `moves` lists it or in your own words")),
    ("moves", N_("list your legal moves")),
    ("moves {start}", N_("list your legal moves that start with {start}, or mention it")),
    ("hint", N_("show good moves")),
    ("wait", N_("let somebody else move first, where several may")),
    ("board", N_("draw the whole board again")),
    ("undo", N_("take back your last move, and all after it")),
    ("save FILE", N_("save the game; `tablier play FILE` continues it")),
    ("rules", N_("show how to play")),
    ("help", N_("show this help")),
    ("quit", N_("leave the game")),
)


def play_game(
    name: str,
    pairs: Sequence[str],
    seat: int | None,
    level: int | None,
    seed: int | None,
    server: Server | None,
    language: str,
) -> None:
    """Start or continue a game, and play until it is over or the player quits."""
    record = None
    if is_file(name):
        record = read(Path(name).read_bytes())
        if pairs or seed is not None:
            raise click.UsageError("a saved game has its options and its seed already")
        seat = saved_seat(record) if seat is None else seat
        level = saved_level(record) if level is None else level
    game = find_game(record.game if record else name)
    options = parse_options(game, pairs)
    try:
        with open_backend(server) as backend:
            if record is None:
                seed = secrets.randbits(32) if seed is None else seed
                ongoing = OngoingGame.start(backend, game, options, seed, language)
            else:
                ongoing = OngoingGame.load(backend, record, language)
            seats = ongoing.state.seats
            if (seat or 0) >= seats:
                raise click.BadParameter(
                    f"this game has {seats} seats, numbered from 0", param_hint="--seat"
                )
            chance = Random(seed)
            strength = DEFAULT_LEVEL if level is None else level
            player = TerminalPlayer(game, ongoing, seat or 0, strength, chance, language)
            player.greet(seed)
            player.run()
    except TablierError as error:
        raise command_error(error) from None


def saved_seat(record: Record) -> int | None:
    """The seat of the person in a saved game."""
    return next((seat for seat, name in record.players.items() if name == PLAYER), None)


def saved_level(record: Record) -> int | None:
    """The level of the other players in a saved game, or 0 for random ones."""
    for name in record.players.values():
        if name == RANDOM:
            return 0
        level = LEVEL_NAME.fullmatch(name)
        if level is not None:
            return int(level[1])
    return None


class TerminalPlayer:
    """Plays one seat by prompting, and the others at a level, or at random if it is 0."""

    def __init__(
        self,
        game: Game,
        ongoing: OngoingGame,
        seat: int,
        level: int,
        chance: Random,
        language: str = "",
    ) -> None:
        self._game = game
        self._ongoing = ongoing
        self._seat = seat
        self._level = level
        self._chance = chance
        self._language = choose_language(language)
        self._texts = texts = catalogue(self._language)
        self._out = open_console()
        self._paint = Paint(game, texts)
        self._keyboard = Keyboard(self._offer)
        # The lines of the last drawing, and whether others have moved since.
        self._drawn: list[str] = []
        self._stale = True
        # Whether the player has let somebody else move, and may go on waiting.
        self._waited = False
        self._saved: set[Path] = set()
        # Commands return whether they have changed the state.
        self._commands: dict[str, Callable[[str], bool]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "wait": self._wait,
            "board": self._draw_again,
            "undo": self._undo,
            "save": self._save,
            "rules": self._show_rules,
            "help": self._help,
            "quit": self._quit,
        }
        rival = f"level {level}" if level else RANDOM
        names = dict.fromkeys(range(ongoing.state.seats), rival) | {seat: PLAYER}
        ongoing.players.update({each: ongoing.players.get(each, names[each]) for each in names})

    def greet(self, seed: int | None) -> None:
        """Say what is played, against whom, and how to get help."""
        texts = self._texts
        if self._level:
            line = texts.gettext("{game}. You have seat {seat}; the others play at level {level}.")
        else:
            line = texts.gettext("{game}. You have seat {seat}; the others move at random.")
        title = read_title(self._game, self._language)
        self._print(line.format(game=title, seat=self._seat, level=self._level))
        if seed is not None:
            self._print(
                texts.gettext("This is game {seed}: `--seed {seed}` starts it again.").format(
                    seed=seed
                )
            )
        self._print(texts.gettext("Type `rules` to learn the game, `help` for all commands."))

    def run(self) -> None:
        """Play until the game is over or the player quits."""
        try:
            while True:
                while (state := self._ongoing.state).actors:
                    if self._seat in state.actors:
                        if not self._waited:
                            self._draw()
                        self._waited = False
                        self._ask(state)
                    else:
                        self._move_another(self._chance.choice(state.actors))
                self._draw_again("")
                self._show_result(state)
                self._ask(state)
        except Leaving:
            pass

    def _ask(self, state: State) -> None:
        """Prompt until the state changes; raises Leaving."""
        if len(state.actors) > 1:
            self._print(
                self._texts.gettext("Other seats may move now: type `wait` to let them."), "dim"
            )
        over = self._texts.gettext("`undo` and `save` still work; Enter leaves.")
        if not state.actors:
            self._print(over)
        prompt = self._texts.gettext("Seat {seat}>").format(seat=self._seat) + " "
        while True:
            text = self._keyboard.read(prompt)
            command, _, rest = text.partition(" ")
            if command in self._commands:
                if self._commands[command](rest.strip()):
                    return
            elif text and state.actors:
                if self._play(text):
                    return
            elif text:
                self._print(over)
            elif not state.actors:
                raise Leaving

    def _play(self, text: str) -> bool:
        try:
            read = self._ongoing.interpret(self._seat, text)
        except errors.InvalidField as error:
            self._print(error.message, "red")
            return False
        if read.understood is None:
            self._explain(text, read)
            return False
        notation = read.understood.move.notation
        if read.outcome != "exact":
            self._print(self._texts.gettext("Understood: {move}").format(move=notation), "dim")
        self._tell(self._ongoing.play(self._seat, notation, self._seat))
        return True

    def _explain(self, text: str, read: Interpretation) -> None:
        """Say why a text is not a move, and which moves it may have meant."""
        if read.outcome == "ambiguous":
            question = self._texts.ngettext(
                "Do you mean this? Then type the move.",
                "Which one do you mean? Type its move.",
                len(read.candidates),
            )
            self._print(question, "red")
            self._show_candidates(read.candidates)
            return
        if read.reason:
            self._print(read.reason, "red")
        else:
            line = self._texts.gettext("`{text}` is not a move of this game: `moves` lists yours.")
            self._print(line.format(text=text), "red")
        legal = self._ongoing.legal(self._seat)
        if len(legal) <= FEW:
            self._print(self._texts.gettext("What you can do now:"))
            self._show_moves((move.notation, move.words) for move in legal)
            return
        self._show_candidates(read.candidates)
        forms = ", ".join(example for example, _ in read.forms)
        self._print(self._texts.gettext("Moves look like this: {forms}").format(forms=forms), "dim")
        self._print(
            self._texts.gettext("`moves` lists your legal moves, `hint` shows good ones."), "dim"
        )

    def _show_candidates(self, candidates: Sequence[Candidate]) -> None:
        if candidates:
            self._show_moves((each.move.notation, each.words) for each in candidates)

    def _show_moves(self, moves: Iterable[tuple[str, str]]) -> None:
        """Show moves and what they do in a table."""
        headings = (self._texts.gettext("move"), self._texts.gettext("what it does"))
        self._out.print(make_table(self._out.width, headings, list(moves)))

    def _move_another(self, seat: int) -> None:
        if self._level:
            notation = self._ongoing.choose(seat, self._level, self._chance.getrandbits(64))
        else:
            notation = self._chance.choice(self._ongoing.legal(seat)).notation
        self._tell(self._ongoing.play(seat, notation, self._seat))
        self._stale = True

    # ---- Commands --------------------------------------------------------------------------------

    def _list_moves(self, text: str) -> bool:
        legal = self._ongoing.legal(self._seat) if self._ongoing.state.actors else []
        found = [move for move in legal if move.notation.startswith(text)]
        found = found or [move for move in legal if mentions(move, text)]
        if not found:
            line = self._texts.gettext("No legal move starts with {text} or mentions it.")
            self._print(line.format(text=text or "…"))
        elif len(found) <= LISTED_IN_WORDS:
            self._show_moves((move.notation, move.words) for move in found)
        else:
            shown = [Text(move.notation) for move in found[:LISTED]]
            self._out.print(Columns(shown, padding=(0, 2)))
            if len(found) > LISTED:
                line = self._texts.gettext("… and {count} more.")
                self._print(line.format(count=len(found) - LISTED))
            line = self._texts.gettext(
                "`moves {text}` lists those that start with {text}, in words."
            )
            self._print(line.format(text=common_start(found)), "dim")
        return False

    def _hint(self, _: str) -> bool:
        if not self._ongoing.state.actors:
            self._print(self._texts.gettext("The game is over"))
            return False
        words = {move.notation: move.words for move in self._ongoing.legal(self._seat)}
        advice = self._ongoing.advise(self._seat, HINT_MILLISECONDS, HINTS)
        headings = (
            self._texts.gettext("move"),
            self._texts.gettext("what it does"),
            self._texts.gettext("value"),
        )
        rows = [
            (best.move.notation, words[best.move.notation], f"{best.values[self._seat]:+.2f}")
            for best in advice.suggestions
        ]
        caption = self._texts.gettext("value: your expected result, from -1 (loss) to +1 (win)")
        self._out.print(make_table(self._out.width, headings, rows, caption=caption))
        return False

    def _wait(self, _: str) -> bool:
        others = [seat for seat in self._ongoing.state.actors if seat != self._seat]
        if not others:
            self._print(self._texts.gettext("Nobody else can move now: it is your turn."))
            return False
        phase = self._ongoing.state.phase
        self._move_another(self._chance.choice(others))
        # The moves have already been described; `board` draws the result.
        self._waited = self._ongoing.state.phase == phase
        return True

    def _undo(self, _: str) -> bool:
        if not self._ongoing.take_back(self._seat):
            self._print(self._texts.gettext("You have not made a move yet."))
            return False
        self._print(self._texts.gettext("Your last move is taken back."))
        self._stale = True
        return True

    def _save(self, name: str) -> bool:
        path = Path(name or f"{self._game.name}.txt").expanduser()
        if path.exists() and path not in self._saved:
            line = self._texts.gettext("{file} exists already: choose another name.")
            self._print(line.format(file=path), "red")
            return False
        try:
            path.write_text(self._ongoing.write_record(), encoding="utf-8")
        except OSError as error:
            self._print(str(error), "red")
            return False
        self._saved.add(path)
        line = self._texts.gettext("Saved. `tablier play {file}` continues the game.")
        self._print(line.format(file=path))
        return False

    def _show_rules(self, _: str) -> bool:
        print_page(self._ongoing.rules())
        return False

    def _help(self, _: str) -> bool:
        headings = (self._texts.gettext("type"), self._texts.gettext("to"))
        # The beginning of a move of this game, as an example.
        start = re.split(r"\W", self._game.notation[0][0])[0]
        rows = [
            (command.format(start=start), self._texts.gettext(meaning).format(start=start))
            for command, meaning in COMMANDS
        ]
        self._out.print(
            make_table(self._out.width, headings, rows, title=self._texts.gettext("Commands"))
        )
        print_notation(self._out, self._game, self._texts)
        self._print(self._texts.gettext("Tab completes commands and moves."))
        return False

    def _quit(self, _: str) -> bool:
        raise Leaving

    def _offer(self, typed: str) -> Iterator[Choice]:
        """What can be typed, for a line that begins in this way."""
        command, space, rest = typed.partition(" ")
        if command == "moves" and space:
            typed, prefix = rest.lstrip(), "moves "
        else:
            prefix = ""
            meanings = {name.partition(" ")[0]: meaning for name, meaning in COMMANDS[::-1]}
            for name in self._commands:
                if name.startswith(typed):
                    yield name, self._texts.gettext(meanings[name])
        if self._seat in self._ongoing.state.actors:
            for move in self._ongoing.legal(self._seat):
                if move.notation.startswith(typed):
                    yield prefix + move.notation, move.words

    # ---- Output ----------------------------------------------------------------------------------

    def _print(self, line: str, style: str = "") -> None:
        self._out.print(Text(line, style=style))

    def _tell(self, story: str) -> None:
        self._out.print(self._paint.sentence(f"• {story}"))

    def _draw(self) -> None:
        """Draw the board, or what is new if this is long and the player only goes on."""
        lines = self._ongoing.draw(self._seat).split("\n")
        if self._stale or len(lines) <= LONG_DRAWING:
            shown = lines
        else:
            shown = new_lines(self._drawn, lines)
        self._drawn, self._stale = lines, False
        if shown:
            drawing = fit("\n".join(shown), self._out.width)
            self._out.print(Text("\n"), self._paint.drawing(drawing), sep="", soft_wrap=True)

    def _draw_again(self, _: str) -> bool:
        self._stale = True
        self._draw()
        return False

    def _show_result(self, state: State) -> None:
        texts = self._texts
        title = self._texts.ngettext(
            "Game over after {count} move", "Game over after {count} moves", state.ply
        )
        rows = []
        for seat, (score, value) in enumerate(zip(state.scores, state.returns, strict=True)):
            who = (
                texts.gettext("{seat} (you)").format(seat=seat) if seat == self._seat else str(seat)
            )
            rows.append((who, f"{score:g}", f"{value:+g}"))
        headings = (texts.gettext("seat"), texts.gettext("points"), texts.gettext("result"))
        table = make_table(
            self._out.width, headings, rows, title=title.format(count=state.ply), right=headings[1:]
        )
        self._out.print(table)
        mine = state.returns[self._seat]
        self._print(
            texts.gettext("You win.")
            if mine > 0
            else texts.gettext("You lose.")
            if mine < 0
            else texts.gettext("A draw."),
            "bold",
        )


def new_lines(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The lines of a drawing that are not in the one before."""
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        line
        for change, _, _, start, end in changes
        if change != "equal"
        for line in after[start:end]
    ]


def mentions(move: LegalMove, text: str) -> bool:
    """Whether a move mentions a text, in its notation or in its words."""
    return text.lower() in f"{move.notation} {move.words}".lower()


def common_start(moves: Sequence[LegalMove]) -> str:
    """How the first of many moves begins: its first word or number."""
    notation = moves[0].notation
    length = next((i for i, c in enumerate(notation) if not c.isalnum()), len(notation))
    return notation[:length]
