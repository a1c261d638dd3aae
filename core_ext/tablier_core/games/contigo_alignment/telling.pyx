"""The alignment game in words: what moves do, why a move is illegal, and what to click."""

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport straight_target
from tablier_core.games.contigo.telling cimport (
    explain_distance, explain_sowing, explain_turn, piece_on, sowing_paths, sowing_words,
    square_name, tell_end,
)
from tablier_core.games.contigo_alignment.rules cimport pawn_origin, pawn_target
from tablier_core.games.contigo_alignment.state cimport FIRST_ELL, FIRST_SOWING

from tablier_core.games.contigo.pieces import colour_name, synonyms, text_colours
from tablier_core.games.contigo_alignment.options import PAWNS
from tablier_core.telling import Telling


cdef list squares_of(move_t move):
    if move < FIRST_ELL:
        return [pawn_origin(move), pawn_target(move)]
    return [pawn_origin(move), straight_target((move - FIRST_ELL) // 5), pawn_target(move)]


# ---- What moves do -------------------------------------------------------------------------------

def words(view, int seat, moves, language):
    """Say what each legal move does."""
    player = colour_name(seat, language)
    if view.phase == "sow":
        return sowing_words(moves, FIRST_SOWING, player, language)
    return [tell_pawn(move, player, language) for move in moves]


cdef str tell_pawn(move_t move, str player, language):
    cdef list names = [square_name(square) for square in squares_of(move)]
    if len(names) == 2:
        text = language.gettext("{player} moves a pawn from {origin} to {target}")
        return text.format(player=player, origin=names[0], target=names[1])
    text = language.gettext("{player} moves a pawn from {origin} by way of {corner} to {target}")
    return text.format(player=player, origin=names[0], corner=names[1], target=names[2])


def story(before, after, int seat, move_t move, language):
    """Say what a move did, and how the game ended with it."""
    sentence = words(before, seat, [move], language)[0]
    return tell_end(sentence, after, language)


def paths(view, int seat, moves):
    """Return the squares or pits to click for each legal move."""
    if view.phase == "sow":
        return sowing_paths(moves, FIRST_SOWING)
    return [tuple([square_name(square) for square in squares_of(move)]) for move in moves]


# ---- Reasons -------------------------------------------------------------------------------------

def reason(view, int seat, move_t move, language):
    """Say why a move is illegal (reference: A turn)."""
    reason = explain_turn(view, seat, language)
    if reason is not None:
        return reason
    player = colour_name(seat, language)
    if view.phase == "pawn":
        if move >= FIRST_SOWING:
            text = language.gettext("{player} has to move a pawn before sowing")
            return text.format(player=player)
        return explain_pawn(view, seat, move, language)
    if move >= FIRST_SOWING:
        return explain_sowing(view.beads, move - FIRST_SOWING, language)
    return language.gettext("{player} has to sow now").format(player=player)


cdef str explain_pawn(view, int seat, move_t move, language):
    cdef list squares = squares_of(move)
    if view.advanced and move < FIRST_ELL:
        return language.gettext(
            "In the advanced game a pawn moves in an L: two straight moves at a right angle"
        )
    if move >= FIRST_ELL and not view.advanced:
        return language.gettext("A pawn moves in a straight line: only the advanced game has Ls")
    letter = piece_on(view.layout, squares[0])
    if letter == ".":
        return language.gettext("There is no pawn on {square}").format(
            square=square_name(squares[0])
        )
    if letter != PAWNS[seat]:
        return language.gettext("The pawn on {square} belongs to {player}").format(
            square=square_name(squares[0]), player=colour_name(PAWNS.index(letter), language)
        )
    for origin, target in zip(squares, squares[1:]):
        reason = explain_distance(view.beads, origin, target, language)
        if reason is not None:
            return reason
        if piece_on(view.layout, target) != ".":
            return language.gettext(
                "There is a pawn on {square}, and a move must end on a free square"
            ).format(square=square_name(target))


TELLING = Telling(
    words=words, story=story, reason=reason, paths=paths, colours=text_colours, player=colour_name,
    synonyms=synonyms,
)
