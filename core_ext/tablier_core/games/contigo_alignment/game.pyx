"""The table of contents of the alignment game: its options and its GameOps."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# The GameOps literal does not compile unless `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.contigo.board cimport read_beads
from tablier_core.games.contigo.sowing cimport SOWINGS
from tablier_core.games.contigo_alignment.encoding cimport FAULTS, pack, unpack
from tablier_core.games.contigo_alignment.engine.choose cimport rank
from tablier_core.games.contigo_alignment.engine.estimate cimport evaluate
from tablier_core.games.contigo_alignment.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.contigo_alignment.lines cimport holds_line
from tablier_core.games.contigo_alignment.notation cimport read_move, write_move
from tablier_core.games.contigo_alignment.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.contigo_alignment.state cimport ACTIONS, RANDOM, SEATS, Options, State

from tablier_core.errors import OptionError
from tablier_core.games.contigo.layout import read_layout
from tablier_core.games.contigo_alignment.options import PAWNS


def pack_options(values):
    """Fill the options struct from checked values; raises OptionError for a bad layout or ring."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    squares = read_layout(values["layout"], PAWNS)
    o.pawns[0] = squares["R"]
    o.pawns[1] = squares["B"]
    if holds_line(o.pawns[0], o.pawns[1]) or holds_line(o.pawns[1], o.pawns[0]):
        raise OptionError("layout", "a line is already held, so the game would be over")
    read_beads(values["beads"], o.beads)
    o.first = RANDOM if values["first"] == "random" else values["first"]
    o.advanced = values["advanced"]
    o.turn_limit = values["turn_limit"]
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="contigo-alignment",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=SOWINGS,
    num_actions=ACTIONS,
    min_seats=SEATS,
    max_seats=SEATS,
    phases="pawn sow over",
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
