"""Contract's options as a struct, and its GameOps: the table of contents of the game."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# The GameOps literal does not compile unless `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.contract.encoding cimport FAULTS, pack, unpack
from tablier_core.games.contract.engine.choose cimport narrow, rank
from tablier_core.games.contract.engine.estimate cimport evaluate
from tablier_core.games.contract.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.contract.hidden cimport determinize, infoset
from tablier_core.games.contract.notation cimport read_move, write_move
from tablier_core.games.contract.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.contract.state cimport (
    ACTIONS, FAMILIES, MAX_MOVES, MOST_SEATS, Options, State, round_count, row_length,
)

from tablier_core.games.contract.options import list_briefcases, list_mafiosi


def pack_options(values):
    """Return the options struct as bytes; raise OptionError for values that do not fit together."""
    cdef Options o
    cdef State s
    cdef int i, order
    memset(&o, 0, sizeof(o))
    o.seats = s.seats = values["seats"]
    o.copper_points = int(2 * values["copper_card"])
    codes = list_mafiosi(values["mafiosi"], o.seats, row_length(&s) * round_count(&s))
    for i, (family, value) in enumerate(codes):
        o.mafiosi[i] = 32 * <int>family + <int>value
    for order, kind in enumerate(("first", "second")):
        for i in range(FAMILIES):
            o.traffic[order][i] = values["traffics"][kind][i]
    briefcases = list_briefcases(values["briefcases"], o.seats)
    o.tiles = len(briefcases)
    for i, (one, other, worth) in enumerate(briefcases):
        o.side[i][0] = one
        o.side[i][1] = other
        o.worth[i] = worth
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="contract",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=MAX_MOVES,
    num_actions=ACTIONS,
    min_seats=2,
    max_seats=MOST_SEATS,
    phases="action pieces pay chase join copper over",
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
    evaluate=evaluate,
    pick=NULL,
    narrow=narrow,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
