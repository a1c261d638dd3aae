"""The capture game in words: what moves do, why a move is illegal, and what to click."""

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport STRAIGHTS, straight_origin, straight_target
from tablier_core.games.contigo.telling cimport (
    explain_distance, explain_sowing, explain_turn, piece_on, sowing_paths, sowing_words,
    square_name, tell_end,
)
from tablier_core.games.contigo_capture.state cimport COLOURS, FIRST_CAPTURE, FIRST_SOWING, STOP

from tablier_core.games.contigo.pieces import colour_name, piece_name, synonyms, text_colours
from tablier_core.games.contigo_capture.options import KINGS
from tablier_core.telling import BUTTON, Telling


cdef int origin_of(move_t move) noexcept:
    return straight_origin(move % STRAIGHTS)


cdef int target_of(move_t move) noexcept:
    return straight_target(move % STRAIGHTS)


# ---- What moves do -------------------------------------------------------------------------------

def words(view, int seat, moves, language):
    """Say what each legal move does."""
    player = colour_name(seat, language)
    if view.phase == "sow":
        return sowing_words(moves, FIRST_SOWING, player, language)
    return [tell_piece(view, seat, move, player, language) for move in moves]


cdef str tell_piece(view, int seat, move_t move, str player, language):
    if move == STOP:
        return language.gettext("{player} stops capturing").format(player=player)
    if move >= FIRST_CAPTURE:
        text = language.gettext("{player} captures {prey} on {target} with {piece} from {origin}")
        prey = piece_name(piece_on(view.layout, target_of(move)), language)
    else:
        text = language.gettext("{player} moves {piece} from {origin} to {target}")
        prey = ""
    letter = piece_on(view.layout, origin_of(move))
    # Only pieces that the seat has won need a colour.
    if letter == KINGS[seat]:
        piece = language.gettext("the King")
    elif letter.upper() == KINGS[seat]:
        piece = language.gettext("a pawn")
    else:
        piece = piece_name(letter, language)
    return text.format(
        player=player,
        piece=piece,
        prey=prey,
        origin=square_name(origin_of(move)),
        target=square_name(target_of(move)),
    )


def story(before, after, int seat, move_t move, language):
    """Say what a move did, who is out, and how the game ended with it."""
    cdef int colour
    sentence = words(before, seat, [move], language)[0]
    for colour in range(COLOURS):
        if before.owner[colour] == colour != after.owner[colour]:
            text = language.gettext("{sentence}; {player} is out")
            sentence = text.format(sentence=sentence, player=colour_name(colour, language))
    return tell_end(sentence, after, language)


def paths(view, int seat, moves):
    """Return the squares or pits to click for each legal move, or the button that ends a chain."""
    if view.phase == "sow":
        return sowing_paths(moves, FIRST_SOWING)
    return [
        (BUTTON + "stop",)
        if move == STOP
        else (square_name(origin_of(move)), square_name(target_of(move)))
        for move in moves
    ]


# ---- Reasons -------------------------------------------------------------------------------------

def reason(view, int seat, move_t move, language):
    """Say why a move is illegal (reference: A turn)."""
    reason = explain_turn(view, seat, language)
    if reason is not None:
        return reason
    player = colour_name(seat, language)
    if view.phase == "sow":
        if move >= FIRST_SOWING:
            return explain_sowing(view.beads, move - FIRST_SOWING, language)
        return language.gettext("{player} has to sow now").format(player=player)
    if view.phase == "pawn":
        reason = explain_start(view, move, player, language)
    else:
        reason = explain_chain(view, move, player, language)
    return explain_landing(view, seat, move, language) if reason is None else reason


cdef str explain_start(view, move_t move, str player, language):
    """Say why a turn cannot begin with a move of this kind, or of this piece."""
    if move >= FIRST_SOWING:
        text = language.gettext("{player} has to move a piece before sowing")
        return text.format(player=player)
    if move == STOP:
        text = language.gettext("There is no chain to stop: {player} has to move a piece")
        return text.format(player=player)
    square = square_name(origin_of(move))
    letter = piece_on(view.layout, origin_of(move))
    if letter == ".":
        return language.gettext("There is no piece on {square}").format(square=square)
    owner = view.owner[KINGS.index(letter.upper())]
    if owner != view.to_move:
        return language.gettext("The piece on {square} belongs to {player}").format(
            square=square, player=colour_name(owner, language)
        )
    return None


cdef str explain_chain(view, move_t move, str player, language):
    """Say why a chain cannot go on like this (reference: Chain)."""
    if move >= FIRST_SOWING:
        text = language.gettext("{player} has to capture again from {square} or stop before sowing")
    elif square_name(origin_of(move)) != view.chain:
        text = language.gettext("Only the piece on {square} may capture again")
    elif move < FIRST_CAPTURE:
        text = language.gettext("The piece on {square} may only capture; otherwise {player} stops")
    else:
        return None
    return text.format(player=player, square=view.chain)


cdef str explain_landing(view, int seat, move_t move, language):
    """Say why a piece that may move cannot land there like this (reference: Capture)."""
    cdef int origin = origin_of(move), target = target_of(move)
    reason = explain_distance(view.beads, origin, target, language)
    if reason is not None:
        return reason
    letter = piece_on(view.layout, target)
    if letter == ".":
        text = language.gettext("There is nothing to capture on {target}: {origin}-{target} moves")
    elif view.owner[KINGS.index(letter.upper())] == seat:
        text = language.gettext("{player} controls the piece on {target} and cannot capture it")
    else:
        text = language.gettext("There is a rival's piece on {target}: {origin}x{target} captures")
    return text.format(
        player=colour_name(seat, language),
        origin=square_name(origin),
        target=square_name(target),
    )


TELLING = Telling(
    words=words, story=story, reason=reason, paths=paths, colours=text_colours, player=colour_name,
    synonyms=synonyms,
)
