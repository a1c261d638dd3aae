"""Mafia de Cuba: its options and the table of its functions."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

# Cython needs the name `move_t` in scope for the slot `write_move`.
from tablier_core.abi cimport MAX_SEATS, GameOps, move_t  # no-cython-lint
from tablier_core.games.mafia_de_cuba.encoding cimport FAULTS, pack, unpack
from tablier_core.games.mafia_de_cuba.engine.choose cimport rank
from tablier_core.games.mafia_de_cuba.features cimport FEATURES, NUM_FEATURES, write_features
from tablier_core.games.mafia_de_cuba.hidden cimport determinize, infoset
from tablier_core.games.mafia_de_cuba.notation cimport read_move, write_move
from tablier_core.games.mafia_de_cuba.rules cimport (
    actors, apply, moves, phase, returns, scores, seats, setup,
)
from tablier_core.games.mafia_de_cuba.state cimport ACTIONS, CLAIMS, MIN_SEATS, Options, State

from tablier_core.games.mafia_de_cuba.options import count_jokers, count_questions, count_tokens


def pack_options(values):
    """Fill the options struct from checked values, with defaults from the table by seats."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.jokers = count_jokers(values)
    o.questions = count_questions(values)
    o.statements = values["statements"]
    for kind, count in enumerate(count_tokens(values)):
        o.tokens[<int>kind] = count
    return (<const char*>&o)[:sizeof(o)]


cdef GameOps OPS = GameOps(
    name="mafia-de-cuba",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=CLAIMS,
    num_actions=ACTIONS,
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    phases="hide pouch take inquiry answer react over",
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
