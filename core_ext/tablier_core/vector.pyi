"""Many games of one kind at once, for learners: one call steps all of them, without the GIL."""

from collections.abc import Mapping, Sequence
from typing import Any

from tablier_core.position import Game, Position

class Vector:
    """Games of one kind that are stepped together, in memory that the caller lends.

    Arrays are anything that lends contiguous memory through the buffer protocol or DLPack: NumPy
    arrays, tensors on the CPU, `bytearray`. For n games, in rows by game:

        actions        n int32 or int64       read by `step`, written by `choose`
        observations   n x num_features float32       of the seat that is asked
        masks          n x mask_bytes uint8           its legal actions
        actors         n int32                the seat that is asked; -1: the game cannot be played
        rewards        n x seats float32      returns at the end of an episode, else 0
        dones          n uint8                1: the episode ended, and the next one has begun
        illegal        n uint8                1: the action was illegal, and nothing was played
        finals         n x num_features float32       the last observation of an episode that ended,
                                                      for the learner or else the last seat asked

    All but the actions may be omitted. A new episode begins in the step that ends one. The first
    has the seed of its game, and later ones have seeds drawn from it.

    Options are one mapping, or one per game. With `seats`, the caller plays only this seat of each
    game (-1: all seats), and the others play at random inside of `step`.

    Raises OptionError or InvalidField.
    """

    def __init__(
        self,
        game: Game,
        options: Mapping[str, object] | Sequence[Mapping[str, object]],
        seeds: Sequence[int],
        *,
        actions: Any,
        observations: Any = None,
        masks: Any = None,
        actors: Any = None,
        rewards: Any = None,
        dones: Any = None,
        illegal: Any = None,
        finals: Any = None,
        seats: Sequence[int] | None = None,
        threads: int = 1,
    ) -> None: ...
    game: Game

    def __len__(self) -> int: ...
    @property
    def num_actions(self) -> int:
        """The number of actions, with `wait` if the game has it."""

    @property
    def num_features(self) -> int:
        """The number of features of an observation."""

    @property
    def mask_bytes(self) -> int:
        """The bytes of a game's mask."""

    @property
    def packed_masks(self) -> bool:
        """Whether masks have one bit per action, lowest bit first, and not one byte."""

    @property
    def seats(self) -> int:
        """The most seats of a game: the rewards of each game."""

    @property
    def bytes_per_game(self) -> int:
        """The memory of each game, without what the caller lends."""

    def reset(self, seeds: Sequence[int] | None = None) -> None:
        """Start all games again: with the seeds of the running episodes, or with new ones."""

    def step(self) -> None:
        """Play the action of every game, and write everything that the caller wants to know."""

    def restart(self, games: Any) -> None:
        """Give up the episodes of some games, which have a 1 among n uint8, and start new ones."""

    def choose(self) -> None:
        """Fill `actions` with random legal actions."""

    def list_legal(self, offsets: Any, actions: Any = None) -> int:
        """List the legal actions of all games, one after the other, and return their number.

        Those of game i are `actions[offsets[i]:offsets[i + 1]]`, ascending. Without `actions`, only
        the offsets are written. Offsets are int64, actions int32.
        """

    def position(self, game: int) -> Position:
        """Return the position of a game."""

    def waited(self, game: int) -> int:
        """Return the mask of the seats of a game that have waited since the last move."""

    def snapshot(self) -> bytes:
        """Return all games as bytes: `restore` continues from them, byte for byte."""

    def restore(self, data: bytes) -> None:
        """Continue from a snapshot of this vector, or of one with the same options and seats.

        Raises TokenMalformed or TokenInvalid, and then nothing has changed.
        """
