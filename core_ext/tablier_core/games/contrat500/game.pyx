"""The table of contents of Contrat 500: its options and every slot of abi.pxd."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# The GameOps literal does not compile unless `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.contrat500.encoding cimport FAULTS, pack, unpack
from tablier_core.games.contrat500.engine.choose cimport rank
from tablier_core.games.contrat500.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.contrat500.hidden cimport determinize, infoset
from tablier_core.games.contrat500.notation cimport read_move, write_move
from tablier_core.games.contrat500.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.contrat500.state cimport ACTIONS, CONTRACTS, SEATS, Options, State


def pack_options(values):
    """Fill the options struct from checked values."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.target = values["target"]
    o.max_deals = values["max_deals"]
    o.blind_bids = values["blind_bids"]
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="contrat500",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=CONTRACTS,
    num_actions=ACTIONS,
    min_seats=2,
    max_seats=SEATS,
    phases="bid turn discard announce over",
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
