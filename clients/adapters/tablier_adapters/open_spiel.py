"""Every game of Tablier as a game of OpenSpiel.

    game = load("contigo-alignment", {"advanced": True}, seed=7)
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])

Our games decide all chance by a seed that their state carries. To OpenSpiel, that is chance's one
move, which no player sees: the root is a chance node whose outcomes are seeds, and what a deck or a
die brings later is hidden information. With a given seed there is no chance node. The README says
what this means to an algorithm.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from tablier_core import codec
from tablier_core.errors import OptionError, UnknownGame
from tablier_core.position import Game, Position
from tablier_core.registry import GAMES
from tablier_core.simulation import simulate
from tablier_core.testing.games import TESTING_GAMES

ALL_GAMES: Mapping[str, Game] = {**GAMES, **TESTING_GAMES}

# As the parameter `seed`: chance chooses among the first `deals` seeds.
DEALT = -1
DEALS = 1024
# Parameters are C ints.
MAX_SEED = 2**31 - 1

# OpenSpiel wants a bound, and the core has none to tell: some games end by their rules alone. The
# tests hold random play of every game to this one.
MAX_GAME_LENGTH = 20_000

INFOSET_BITS = 64

# What may stand in a parameter of a game string, beside letters and digits; the rest is escaped.
PLAIN = "{}[]\"':;/<>!@#$^&*+? |"


# ---- Loading -------------------------------------------------------------------------------------


def short_name(game: Game) -> str:
    """What OpenSpiel calls a game of ours."""
    return f"tablier_{game.name.replace('-', '_')}"


def register_all() -> None:
    """Make every game known to `pyspiel.load_game`; importing this module does it."""
    for game in ALL_GAMES.values():
        # A class for each game, as OpenSpiel's own have: it keeps what it is given until after the
        # interpreter has ended, and letting go of a function object then would be fatal.
        creator = type(short_name(game), (TablierGame,), {"rules": game})
        pyspiel.register_game(
            game_type(game, pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC), creator
        )


def load(
    name: str,
    options: Mapping[str, object] | None = None,
    seed: int | None = None,
    *,
    deals: int = DEALS,
) -> TablierGame:
    """A game under its own name, such as "contigo-alignment".

    Without a seed, a chance node begins every game: `deals` seeds, all equally likely. Raises
    UnknownGame, OptionError or ValueError.
    """
    if name not in ALL_GAMES:
        raise UnknownGame("game", f"no game {name!r}; there are: {', '.join(ALL_GAMES)}")
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise ValueError(f"the seed must be from 0 to {MAX_SEED}")
    parameters = {
        "options": write_options(options or {}),
        "seed": DEALT if seed is None else seed,
        "deals": deals,
    }
    loaded: TablierGame = pyspiel.load_game(short_name(ALL_GAMES[name]), parameters)
    return loaded


def reload(text: str) -> TablierGame:
    """The game of a game string; a pickle that names this function imports this module too."""
    loaded: TablierGame = pyspiel.load_game(text)
    return loaded


def write_options(options: Mapping[str, object]) -> str:
    """Options as a game string can carry them: JSON, its commas and the like as %2C."""
    return quote(json.dumps(dict(options), separators=(",", ":")), safe=PLAIN)


def read_options(text: str) -> dict[str, object]:
    """The options of a game string."""
    try:
        options = json.loads(unquote(text))
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise OptionError("options", f"must be a JSON object, as write_options spells it: {text}")
    return options


def game_type(game: Game, chance_mode: Any) -> Any:
    """What OpenSpiel asks to know about a game before it is loaded."""
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=short_name(game),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode,
        information=information.IMPERFECT_INFORMATION
        if game.has_hidden_information
        else information.PERFECT_INFORMATION,
        # Returns need not add up: seats may win together.
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_seats,
        min_num_players=game.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={"options": write_options({}), "seed": DEALT, "deals": DEALS},
    )


# ---- The game and its states ---------------------------------------------------------------------


class TablierGame(pyspiel.Game):
    """A game with its options chosen."""

    rules: ClassVar[Game]

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game = self.rules
        options = read_options(parameters["options"])
        seed, deals = parameters["seed"], parameters["deals"]
        if seed < DEALT:
            raise ValueError(f"seed must be {DEALT} (chance deals) or from 0 to {MAX_SEED}")
        if deals < 1:
            raise ValueError("deals must be at least 1")
        self.deal: Callable[[int], Position] = partial(game.start, options)
        self.deals = deals
        # Positions are immutable, so one serves as the beginning of every game.
        self.first = None if seed == DEALT else self.deal(seed)
        modes = pyspiel.GameType.ChanceMode
        super().__init__(
            game_type(game, modes.EXPLICIT_STOCHASTIC if seed == DEALT else modes.DETERMINISTIC),
            pyspiel.GameInfo(
                num_distinct_actions=game.num_actions,
                max_chance_outcomes=deals if seed == DEALT else 0,
                num_players=(self.first or self.deal(0)).seats,
                min_utility=-1.0,
                max_utility=1.0,
                max_game_length=MAX_GAME_LENGTH,
            ),
            dict(parameters),
        )

    def __reduce__(self) -> tuple[Callable[[str], TablierGame], tuple[str]]:
        return reload, (str(self),)

    def new_initial_state(self) -> TablierState:
        return TablierState(self)

    def state_at(self, position: Position) -> TablierState:
        """A state in the midst of a game; its history does not tell how it came about."""
        state = TablierState(self)
        state._held = Held(position)
        return state

    def max_chance_nodes_in_history(self) -> int:
        return 0 if self.first else 1

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> SeatObserver:
        return SeatObserver(
            iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params
        )


@dataclass(frozen=True)
class Held:
    """A position as a state keeps it: copied for nothing, pickled as its token."""

    position: Position

    def __deepcopy__(self, memo: object) -> Held:
        return self

    def __reduce__(self) -> tuple[Callable[[bytes], Held], tuple[bytes]]:
        return hold, (codec.encode(self.position),)


def hold(token: bytes) -> Held:
    """The position of a token that was pickled."""
    return Held(codec.decode(token, ALL_GAMES))


class TablierState(pyspiel.State):
    """A position, or the chance node before the first one.

    Where several seats are to move, the lowest is asked first; its choice stays hidden from the
    others for as long as the game hides it. Moves that belong to no seat are not offered.
    """

    def __init__(self, game: TablierGame) -> None:
        super().__init__(game)
        self._held = Held(game.first) if game.first else None

    @property
    def position(self) -> Position | None:
        """The core's own object, for whatever OpenSpiel has no word for; None before the deal."""
        return self._held.position if self._held else None

    def current_player(self) -> int:
        player: int = pyspiel.PlayerId.CHANCE
        if self.position:
            player = pyspiel.PlayerId.TERMINAL if self.position.over else self.position.actors[0]
        return player

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.moves(player) if self.position else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        deals: int = self.get_game().deals
        return [(seed, 1 / deals) for seed in range(deals)]

    def _apply_action(self, action: int) -> None:
        if self.position:
            self._held = Held(self.position.apply(self.position.actors[0], action))
        elif 0 <= action < self.get_game().deals:
            self._held = Held(self.get_game().deal(action))
        else:
            raise ValueError(f"no deal {action}")

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        assert self.position, "nobody moves before the deal"
        return self.position.game.write_move(action)

    def is_terminal(self) -> bool:
        return self.position is not None and self.position.over

    def returns(self) -> list[float]:
        done = self.position.returns if self.position else []
        return done or [0.0] * self.num_players()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> TablierState:
        """Another state that the player cannot tell from this one, as ISMCTS needs it.

        Its history is still that of this game, so it tells of moves that the new state may not
        contain.
        """
        assert self.position, "nobody knows anything before the deal"
        # A float from [0, 1) has 53 random bits.
        world = self.position.determinize(player, int(sampler() * 2**53))
        state: TablierState = self.clone()
        state._held = Held(world)
        return state

    def __str__(self) -> str:
        if not self.position:
            return "before the deal"
        # Some algorithms take the string for the state, and a drawing does not tell it all.
        return f"{self.position.draw_text()}\n{self.position.pack().hex()}"


class SeatObserver:
    """What a seat knows: its identity for an information state, itself for an observation."""

    def __init__(self, iig_obs_type: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"an observer takes no parameters, not {params}")
        seat_only = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not (seat_only and iig_obs_type.public_info):
            raise ValueError("only all that one seat knows can be observed, public and private")
        self._is_infoset = iig_obs_type.perfect_recall
        self.tensor = np.zeros(INFOSET_BITS, np.float32) if self._is_infoset else None
        self.dict = {} if self.tensor is None else {"infoset": self.tensor}

    def set_from(self, state: TablierState, player: int) -> None:
        """Fill the tensor: the bits of the information set's hash, all 0 before the deal."""
        if self.tensor is None:
            return
        infoset = state.position.infoset(player) if state.position else 0
        packed = np.frombuffer(infoset.to_bytes(INFOSET_BITS // 8, "little"), np.uint8)
        self.tensor[:] = np.unpackbits(packed)

    def string_from(self, state: TablierState, player: int) -> str:
        """The knowledge of the player as a string."""
        if not state.position:
            return "before the deal"
        if self._is_infoset:
            return f"{player} {state.position.infoset(player):016x}"
        return repr(state.position.observe(player))


# ---- For its searches ----------------------------------------------------------------------------


class RolloutEvaluator(mcts.RandomRolloutEvaluator):
    """OpenSpiel's estimate of a state by random play, which the compiled core plays.

    A play-out in Python costs a hundred times as much. Where several seats are to move, any of them
    goes first here, not always the lowest.
    """

    def evaluate(self, state: TablierState) -> Any:
        """The mean return of every player."""
        position = state.position
        if not position or position.over:
            return super().evaluate(state)
        # The referee's worlds: the state as it is, with other chance to come.
        played = simulate(
            position,
            [0] * position.seats,
            games=self.n_rollouts,
            seed=int(self._random_state.randint(MAX_SEED)),
        )
        return np.array([outcome.mean_return for outcome in played.outcomes])


register_all()
