"""Every Tablier game as an OpenSpiel game.

    game = load("contigo-alignment", {"advanced": True}, seed=7)
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])

All randomness of a Tablier game comes from a seed in its state. For OpenSpiel, drawing the seed is
the only chance event, which no player sees: the root is a chance node whose outcomes are seeds, and
later cards or dice are hidden information. With a given seed there is no chance node. The README
explains what this means for algorithms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from tablier_core.errors import OptionError
from tablier_core.position import Game, Position
from tablier_core.simulation import simulate

from tablier_adapters.service import ServiceSource
from tablier_adapters.turns import (
    ALL_GAMES,
    LocalSource,
    LocalTurn,
    Source,
    Turn,
    count_actions,
    find_game,
)

# Value of the parameter `seed` for a chance node that draws one of the first `deals` seeds.
DEALT = -1
DEALS = 1024
# OpenSpiel's integer parameters are C ints.
MAX_SEED = 2**31 - 1

# OpenSpiel requires a bound, which the core does not have. Tests check that random play of every
# game stays below this one.
MAX_GAME_LENGTH = 20_000

# Characters, besides letters and digits, that need no escape in a parameter of a game string.
PLAIN = "{}[]\"':;/<>!@#$^&*+? |"


# ---- Loading -------------------------------------------------------------------------------------


def short_name(game: Game) -> str:
    """Return the OpenSpiel name of a game."""
    return f"tablier_{game.name.replace('-', '_')}"


def register_all() -> None:
    """Register every game for `pyspiel.load_game`; importing this module does this."""
    for game in ALL_GAMES.values():
        # OpenSpiel keeps the creator until after the interpreter has shut down, when releasing a
        # function object would crash. A class is safe.
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
    service: str = "",
) -> TablierGame:
    """Load a game by its Tablier name, such as "contigo-alignment".

    Without a seed, every game starts with a chance node that draws one of `deals` equally likely
    seeds. With the address of a `service`, games are played there; its tokens must not be sealed.
    Raises UnknownGame, OptionError or ValueError.
    """
    game = find_game(name)
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise ValueError(f"the seed must be from 0 to {MAX_SEED}")
    parameters = {
        "options": write_options(options or {}),
        "seed": DEALT if seed is None else seed,
        "deals": deals,
        "service": service,
    }
    loaded: TablierGame = pyspiel.load_game(short_name(game), parameters)
    return loaded


def reload(text: str) -> TablierGame:
    """Load a game from its game string; unpickling a game calls this and imports this module."""
    loaded: TablierGame = pyspiel.load_game(text)
    return loaded


def write_options(options: Mapping[str, object]) -> str:
    """Write options for a game string: JSON with commas and other reserved characters escaped."""
    return quote(json.dumps(dict(options), separators=(",", ":")), safe=PLAIN)


def read_options(text: str) -> dict[str, object]:
    """Read the options of a game string."""
    try:
        options = json.loads(unquote(text))
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise OptionError("options", f"must be a JSON object, escaped by write_options: {text}")
    return options


def game_type(game: Game, chance_mode: Any) -> Any:
    """Describe a game to OpenSpiel."""
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=short_name(game),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode,
        information=information.IMPERFECT_INFORMATION
        if game.has_hidden_information
        else information.PERFECT_INFORMATION,
        # Several seats may win together.
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_seats,
        min_num_players=game.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "options": write_options({}),
            "seed": DEALT,
            "deals": DEALS,
            "service": "",
        },
    )


# ---- The game and its states ---------------------------------------------------------------------


class TablierGame(pyspiel.Game):
    """A game with its options."""

    rules: ClassVar[Game]

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game = self.rules
        options = read_options(parameters["options"])
        seed, deals = parameters["seed"], parameters["deals"]
        if seed < DEALT:
            raise ValueError(f"seed must be {DEALT} (drawn by chance) or from 0 to {MAX_SEED}")
        if deals < 1:
            raise ValueError("deals must be at least 1")
        address = parameters["service"]
        self.source: Source = (
            ServiceSource(game.name, options, address)
            if address
            else LocalSource(game.name, options)
        )
        self.deals = deals
        # Turns are immutable, so all games can share the first one.
        self.first = None if seed == DEALT else self.source.start(seed)
        modes = pyspiel.GameType.ChanceMode
        super().__init__(
            game_type(game, modes.EXPLICIT_STOCHASTIC if seed == DEALT else modes.DETERMINISTIC),
            pyspiel.GameInfo(
                num_distinct_actions=count_actions(game),
                max_chance_outcomes=deals if seed == DEALT else 0,
                num_players=self.source.seats,
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
        """Return a state at any position; its history is empty."""
        state = TablierState(self)
        state.turn = LocalTurn(position)
        return state

    def max_chance_nodes_in_history(self) -> int:
        return 0 if self.first else 1

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> SeatObserver:
        return SeatObserver(
            self.rules, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params
        )


class TablierState(pyspiel.State):
    """A turn, or the chance node before the first one.

    Where several seats may move, they are asked in the order of `tablier_core.asking`; the others
    do not see a choice until the game reveals it. Moves of the table, which belong to no seat, are
    not available.
    """

    def __init__(self, game: TablierGame) -> None:
        super().__init__(game)
        self.turn: Turn | None = game.first

    @property
    def position(self) -> Position | None:
        """The core's position, for what OpenSpiel does not cover; None before the deal."""
        return self.turn.position if self.turn else None

    def current_player(self) -> int:
        if not self.turn:
            return int(pyspiel.PlayerId.CHANCE)
        return self.turn.asked if self.turn.asked >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.turn.legal(player) if self.turn else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        deals: int = self.get_game().deals
        return [(seed, 1 / deals) for seed in range(deals)]

    def _apply_action(self, action: int) -> None:
        if self.turn:
            self.turn = self.turn.play(action)
        elif 0 <= action < self.get_game().deals:
            self.turn = self.get_game().source.start(action)
        else:
            raise ValueError(f"there is no deal {action}")

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        assert self.position, "nobody moves before the deal"
        game = self.position.game
        return "wait" if action == game.num_actions else game.write_move(action)

    def is_terminal(self) -> bool:
        return self.turn is not None and self.turn.asked < 0

    def returns(self) -> list[float]:
        done = self.turn.returns if self.turn else []
        return [*done] or [0.0] * self.num_players()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> TablierState:
        """Draw another state that the player cannot distinguish from this one, for ISMCTS.

        The history is copied from this state, so it may contain moves that the new state does not.
        The new state is played in this process.
        """
        assert self.turn, "there is no information state before the deal"
        # A float from [0, 1) has 53 random bits.
        world = self.turn.position.determinize(player, int(sampler() * 2**53))
        state: TablierState = self.clone()
        state.turn = LocalTurn(world, self.turn.waited)
        return state

    def __str__(self) -> str:
        if not self.turn:
            return "before the deal"
        position = self.turn.position
        # Some algorithms identify states by this string, and the drawing alone is not unique.
        return f"{position.draw_text()}\n{position.pack().hex()}{waiting(self.turn)}"


def waiting(turn: Turn) -> str:
    """Name the seat that is asked where that isn't clear from the position: after others waited."""
    return f" seat {turn.asked} is asked" if turn.waited else ""


class SeatObserver:
    """Observes a seat, with its features as the tensor.

    With perfect recall, the string is the hash of the information set, otherwise the view.
    """

    def __init__(self, game: Game, iig_obs_type: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observers take no parameters, got {params}")
        seat_only = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not (seat_only and iig_obs_type.public_info):
            raise ValueError("an observer must cover all that one seat knows, public and private")
        self._is_infoset = iig_obs_type.perfect_recall
        self.tensor = np.zeros(game.num_features, np.float32)
        self.dict = {
            part.name: self.tensor[part.offset : part.offset + part.size].reshape(part.shape)
            for part in game.features
        }

    def set_from(self, state: TablierState, player: int) -> None:
        """Fill the tensor with the features of a seat; all 0 before the deal."""
        self.tensor[:] = state.turn.observe(player) if state.turn else 0

    def string_from(self, state: TablierState, player: int) -> str:
        """Return the observation as a string."""
        if not state.turn:
            return "before the deal"
        position = state.turn.position
        if self._is_infoset:
            return f"{player} {position.infoset(player):016x}{waiting(state.turn)}"
        return f"{position.observe(player)!r}{waiting(state.turn)}"


# ---- Searching -----------------------------------------------------------------------------------


class RolloutEvaluator(mcts.RandomRolloutEvaluator):
    """Replaces OpenSpiel's random rollouts by those of the compiled core, 100 times faster.

    Where several seats are to move, a random one moves first, not always the lowest.
    """

    def evaluate(self, state: TablierState) -> Any:
        """Return the mean return of every player."""
        position = state.position
        if not position or position.over:
            return super().evaluate(state)
        # By default, games start from the true state with new future randomness.
        played = simulate(
            position,
            [0] * position.seats,
            games=self.n_rollouts,
            seed=int(self._random_state.randint(MAX_SEED)),
        )
        return np.array([outcome.mean_return for outcome in played.outcomes])


register_all()
