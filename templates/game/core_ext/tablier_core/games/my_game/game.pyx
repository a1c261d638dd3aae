"""My Game as one GameOps: its options and its table of contents."""

from cpython.pycapsule cimport PyCapsule_New

# The GameOps literal compiles only if `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.my_game.encoding cimport FAULTS, pack, unpack
from tablier_core.games.my_game.engine.choose cimport rank
from tablier_core.games.my_game.features cimport (
    FEATURES, NUM_FEATURES, write_features,
)
from tablier_core.games.my_game.hidden cimport determinize, infoset
from tablier_core.games.my_game.notation cimport read_move, write_move
from tablier_core.games.my_game.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.my_game.state cimport (
    CARDS, FEWEST_SEATS, MOST_SEATS, Options, State,
)


def pack_options(values):
    """Return the options struct as bytes, for checked values."""
    cdef Options o
    o.seats = values["seats"]
    o.hand_size = values["hand_size"]
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="my-game",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=CARDS,
    num_actions=CARDS,
    min_seats=FEWEST_SEATS,
    max_seats=MOST_SEATS,
    phases="choose over",
    faults=FAULTS,
    setup=setup,
    seats=seats,
    phase=phase,
    actors=actors,
    moves=moves,
    apply=apply,
    scores=scores,
    returns=returns,
    write_move=write_move,
    read_move=read_move,
    determinize=determinize,
    infoset=infoset,
    features_version=1,
    num_features=NUM_FEATURES,
    features=FEATURES,
    write_features=write_features,
    evaluate=NULL,
    pick=NULL,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
