"""Contrast as one GameOps: its options and its table of contents."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# The GameOps literal does not compile unless `move_t` is in scope.
from tablier_core.abi cimport GameOps, move_t  # no-cython-lint
from tablier_core.games.contrast.encoding cimport FAULTS, pack, unpack
from tablier_core.games.contrast.engine.choose cimport rank
from tablier_core.games.contrast.engine.people cimport pick
from tablier_core.games.contrast.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.contrast.hidden cimport determinize, infoset
from tablier_core.games.contrast.images cimport is_built_in
from tablier_core.games.contrast.notation cimport read_move, write_move
from tablier_core.games.contrast.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.contrast.state cimport (
    ACTIONS, BUILT_IN_IMAGES, MAX_MOVES, MAX_SEATS, MIN_SEATS, STEPS, SYMBOLS, Options, State,
    boxed_at_start,
)

from tablier_core.errors import OptionError


def pack_options(values):
    """Return the options struct for checked values; raises OptionError if the deck is too short."""
    cdef Options o
    cdef int image, symbol
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.row_length = 3 if values["expert"] else 2
    o.images = BUILT_IN_IMAGES
    deck = values["deck"]
    if deck is not None:
        boxed = boxed_at_start(o.seats)
        if len(deck) <= boxed:
            raise OptionError(
                "deck", f"must have more than {boxed} images at {o.seats} seats:"
                f" {boxed} go to the box"
            )
        for image, affinities in enumerate(deck):
            for symbol, affinity in enumerate(affinities):
                o.affinities[SYMBOLS * image + symbol] = round(affinity * STEPS)
        o.images = len(deck)
        o.own_deck = not is_built_in(o.affinities, o.images)
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="contrast",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=MAX_MOVES,
    num_actions=ACTIONS,
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
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
    pick=pick,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
