"""The table of contents of the capture game: its options and its GameOps."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# The GameOps literal does not compile unless `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.contigo.board cimport read_beads
from tablier_core.games.contigo.sowing cimport SOWINGS
from tablier_core.games.contigo_capture.encoding cimport FAULTS, pack, unpack
from tablier_core.games.contigo_capture.engine.choose cimport rank
from tablier_core.games.contigo_capture.engine.estimate cimport evaluate
from tablier_core.games.contigo_capture.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.contigo_capture.notation cimport read_move, write_move
from tablier_core.games.contigo_capture.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.contigo_capture.state cimport ACTIONS, COLOURS, RANDOM, Options, State

from tablier_core.errors import OptionError
from tablier_core.games.contigo.layout import read_layout
from tablier_core.games.contigo_capture.options import KINGS, PAWNS


def pack_options(values):
    """Fill the options struct from checked values; raises OptionError for a bad layout or ring."""
    cdef Options o
    cdef int colour
    memset(&o, 0, sizeof(o))
    squares = read_layout(values["layout"], KINGS + PAWNS)
    for colour in range(COLOURS):
        king = squares[KINGS[colour]]
        if king.bit_count() != 1:
            raise OptionError("layout", f"must have exactly one King {KINGS[colour]}")
        o.kings |= king
        o.pieces[colour] = king | squares[PAWNS[colour]]
    read_beads(values["beads"], o.beads)
    o.first = RANDOM if values["first"] == "random" else values["first"]
    o.quick = values["quick"]
    o.turn_limit = values["turn_limit"]
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="contigo-capture",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=SOWINGS,
    num_actions=ACTIONS,
    min_seats=COLOURS,
    max_seats=COLOURS,
    phases="pawn chain sow over",
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
    determinize=NULL,
    infoset=NULL,
    features_version=1,
    num_features=NUM_FEATURES,
    features=FEATURES,
    write_features=write_features,
    evaluate=evaluate,
    pick=NULL,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
