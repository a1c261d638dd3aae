"""Games and positions as immutable Python objects around the C interface."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablier_core.actions import ActionPart
from tablier_core.drawing import Look
from tablier_core.features import FeatureSlice
from tablier_core.languages import Language
from tablier_core.options import OptionSchema
from tablier_core.telling import Path, Telling

REFEREE: int
"""The viewer that sees everything."""

class Game:
    """A game: its facts and texts, and how to start a game, read positions and show them."""

    name: str
    title: str
    french_title: str
    summary: str
    phases: tuple[str, ...]
    features: tuple[FeatureSlice, ...]
    """The named slices of what a seat observes as numbers."""
    action_parts: tuple[ActionPart, ...]
    """The kinds of actions, and the factors of each."""
    options: OptionSchema
    notation: tuple[tuple[str, str], ...]
    """Examples of moves, and what each means."""
    public_moves: tuple[str, ...]
    """The first words of moves that every seat sees, in a game with hidden information."""
    optional_phases: tuple[str, ...]
    """Phases in which only the lowest actor has to move; the others may."""
    def __init__(
        self,
        capsule: object,
        *,
        title: str,
        french_title: str,
        summary: str,
        options: OptionSchema,
        notation: Sequence[tuple[str, str]],
        pack_options: Callable[[Mapping[str, Any]], bytes],
        observe: Callable[[Position, int], Any],
        draw_text: Callable[[Any, Language], str],
        draw_svg: Callable[[Any, Look], str],
        telling: Telling,
        action_parts: str = "",
        public_moves: Sequence[str] = (),
        optional_phases: Sequence[str] = (),
    ) -> None: ...
    @property
    def rules_version(self) -> int:
        """The version of the rules, the actions and the byte layout."""

    @property
    def num_actions(self) -> int:
        """The number of actions; each is a number below it."""

    @property
    def max_moves(self) -> int:
        """The largest number of legal moves that a seat can have."""

    @property
    def features_version(self) -> int:
        """The version of the layout and meaning of the features."""

    @property
    def num_features(self) -> int:
        """How many numbers a seat observes, whatever the options are."""

    @property
    def mask_size(self) -> int:
        """The number of bytes of a mask of all actions."""

    @property
    def mask_has_bits(self) -> bool:
        """Whether a mask has a bit per action, the lowest one of a byte first, not a byte."""

    @property
    def min_seats(self) -> int:
        """The fewest seats."""

    @property
    def max_seats(self) -> int:
        """The most seats."""

    @property
    def has_hidden_information(self) -> bool:
        """Whether a seat can know less than the referee, or chance decides."""

    def pack_options(self, given: Mapping[str, object]) -> bytes:
        """Check options and return them as the bytes of the game's struct; raises OptionError."""

    def text_colours(self, language: Language = ...) -> Mapping[str, str]:
        """Return words of the drawing as text, and the colour of the palette for each of them."""

    def player_name(self, seat: int, language: Language = ...) -> str:
        """Return what the words of moves call the seat that moves."""

    def synonyms(self, language: Language = ...) -> tuple[str, ...]:
        """Return what people write instead of the words of moves, in lists with one meaning."""

    def start(self, options: Mapping[str, object], seed: int) -> Position:
        """Return the first position of a game. Equal options and seeds give equal games, always."""

    def unpack(self, data: bytes, ply: int = 0, viewer: int = -1) -> Position:
        """Return the position that packed bytes describe; raises TokenInvalid."""

    def write_move(self, action: int) -> str:
        """Return the notation of an action."""

    def is_public(self, action: int) -> bool:
        """Whether every seat sees the move when it is made."""

    def read_move(self, notation: str) -> int:
        """Return the action that a notation stands for; raises MoveUnparsable."""

class Position:
    """One state of a game. It never changes; `apply` returns a new one."""

    game: Game
    ply: int
    """The number of moves played to get here."""
    viewer: int
    """-1 for the true state; otherwise the seat whose view this is: a world that the seat cannot
    tell from the truth."""
    @property
    def seats(self) -> int:
        """The number of seats."""

    @property
    def phase(self) -> str:
        """The kind of decision that is due."""

    @property
    def actors(self) -> list[int]:
        """The seats that may move now, ascending; none if the game is over."""

    @property
    def over(self) -> bool:
        """Whether the game is over."""

    def check_running(self) -> None:
        """Raise GameOver if the game is over."""

    def check_actor(self, seat: int) -> None:
        """Raise WrongSeat unless the seat is to move."""

    def only_actor(self) -> int:
        """Return the only seat to move; raises GameOver, or WrongSeat if there are several."""

    def check_seat(self, seat: int, table: bool = False) -> None:
        """Raise WrongSeat unless the seat exists; with `table`, -1 exists too."""

    def check_viewer(self, viewer: int, field: str = "seat") -> None:
        """Raise WrongSeat for a field unless the viewer is a seat or the referee (-1)."""

    def moves(self, seat: int) -> list[int]:
        """Return the legal moves of a seat (-1: the table), ascending; none if not to move."""

    def notations(self, seat: int) -> list[str]:
        """Return the notations of `moves(seat)`, in the same order."""

    def words(
        self, seat: int, language: Language = ..., moves: Sequence[int] | None = None
    ) -> list[str]:
        """Return what legal moves of a seat do, in words; of all `moves(seat)`, unless given."""

    def paths(self, seat: int, moves: Sequence[int] | None = None) -> list[Path]:
        """Return the parts of the seat's picture to click, of all `moves(seat)`, unless given."""

    def story(
        self, after: Position, seat: int, move: int, viewer: int, language: Language = ...
    ) -> str:
        """Return what a viewer saw of a move from this position to the one after it, in words."""

    def reason(self, seat: int, move: int, language: Language = ...) -> str:
        """Return why a seat (-1: the table) may not make a move now, in words.

        The move must be illegal, and the game not over.
        """

    def count_moves(self, seat: int) -> int:
        """Return the number of legal moves of a seat (-1: the table)."""

    def is_legal(self, seat: int, move: int) -> bool:
        """Return whether a seat (-1: the table) may make the move now."""

    def apply(self, seat: int, move: int) -> Position:
        """Return the position after a move; raises GameOver, WrongSeat or MoveIllegal."""

    def play(
        self, seat: int | None, notation: str, action: int | None
    ) -> tuple[int, int, Position]:
        """Play a move in the form in which callers send it; return (seat, action, new position).

        A missing seat (None) means the only seat to move. The move is given as a notation, as an
        action, or as both if they agree. Raises what `apply` and `Game.read_move` raise.
        """

    @property
    def scores(self) -> list[float]:
        """The points of every seat so far."""

    @property
    def returns(self) -> list[float]:
        """The return of every seat, from -1 to 1; empty until the game is over."""

    def pack(self) -> bytes:
        """Return the only byte form of the state."""

    def features(self, seat: int) -> bytes:
        """Return what a seat sees as numbers: native float32, laid out as `Game.features`."""

    def write_features(self, seat: int, buffer: object) -> None:
        """Write the features of a seat into memory of exactly their size, such as an array."""

    def mask(self, seat: int) -> bytes:
        """Return a mask of the legal moves of a seat; see `Game.mask_has_bits`."""

    def actions(self, seat: int) -> bytes:
        """Return `moves(seat)` as native uint32 numbers, for arrays."""

    def observe(self, viewer: int = -1) -> Any:
        """Return what a viewer may know, as the game's view object; -1 is the referee."""

    def draw_text(self, viewer: int = -1, language: Language = ...) -> str:
        """Draw the view of a seat as text."""

    def draw_svg(self, viewer: int = -1, look: Look = ...) -> str:
        """Draw the view of a seat as SVG."""

    def infoset(self, viewer: int) -> int:
        """Return a hash of everything that a seat knows: all of the state if nothing is hidden."""

    def determinize(self, viewer: int, seed: int) -> Position:
        """Draw a world: a position that the viewer cannot tell from this one."""

    def view_of(self, viewer: int) -> Position:
        """Return what a seat may hold: a world of its information set, marked as its view.

        The information set is also the seed, so asking twice reveals nothing more.
        """
