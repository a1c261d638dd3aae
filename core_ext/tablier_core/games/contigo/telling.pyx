"""What both Contigo games say: sowings in words and as paths, and why a move is illegal.

A list can have thousands of sowings. So their sentences are copied together from pieces into which
the messages of a language are split once, and their paths share the names of the pits.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from tablier_core.games.contigo.board cimport (
    EAST, NORTH, OFF_BOARD, PIT_LIMIT, PITS, SIZE, SOUTH, WEST, destination, geometry, read_beads,
)
from tablier_core.games.contigo.sowing cimport is_clockwise, pit_of, read_split, split_of

from functools import lru_cache

from tablier_core.games.contigo.pieces import colour_name

cdef extern from "Python.h":
    int PyUnicode_KIND(str text) noexcept           # bytes per character
    void* PyUnicode_DATA(str text) noexcept
    str PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t length)

# Stands for what a sentence has yet to name while it is split.
cdef str GAP = "\0"
cdef str SEPARATOR = ", "
cdef tuple PIT_PARTS = tuple([f"pit-{pit}" for pit in range(PITS)])


# ---- Sowings in words ----------------------------------------------------------------------------

# Some characters of the text of all pieces.
cdef struct Piece:
    Py_ssize_t start
    Py_ssize_t length

# A sentence around what a sowing drops: "Blue sows 3 beads from pit 13: …".
cdef struct Frame:
    Piece head
    Piece tail


cdef class Phrases:
    """The pieces of all sentences about the sowings of a player, in one language."""

    cdef Frame[PITS][PIT_LIMIT + 1] into_one        # by pit and beads taken: all go to one pit
    cdef Frame[PITS][PIT_LIMIT + 1] into_several
    cdef Piece[PITS] number
    cdef Piece[PITS][PIT_LIMIT + 1] drop            # by pit and beads received: "2 into pit 15"
    cdef Piece separator
    cdef list texts                                 # of the pieces
    cdef Py_ssize_t length                          # of all texts together
    cdef str text                                   # all texts together
    cdef const char* data                           # its characters
    cdef int kind                                   # bytes per character
    cdef Py_ssize_t longest                         # characters that any sentence has room in

    def __cinit__(self, str player not None, language not None):
        cdef int pit, count
        self.texts = []
        self.separator = self.add(SEPARATOR)
        for pit in range(PITS):
            self.number[pit] = self.add(str(pit))
            for count in range(1, PIT_LIMIT + 1):
                one = language.ngettext(
                    "{player} sows {count} bead from pit {pit} into pit {target}",
                    "{player} sows {count} beads from pit {pit} into pit {target}",
                    count,
                ).format(player=player, count=count, pit=pit, target=GAP)
                several = language.ngettext(
                    "{player} sows {count} bead from pit {pit}: {drops}",
                    "{player} sows {count} beads from pit {pit}: {drops}",
                    count,
                ).format(player=player, count=count, pit=pit, drops=GAP)
                drop = language.gettext("{count} into pit {pit}").format(count=count, pit=pit)
                self.into_one[pit][count] = self.add_frame(one)
                self.into_several[pit][count] = self.add_frame(several)
                self.drop[pit][count] = self.add(drop)
        self.text = "".join(self.texts)
        self.data = <const char*>PyUnicode_DATA(self.text)
        self.kind = PyUnicode_KIND(self.text)
        # A frame has two pieces, and up to six drops have a separator each.
        self.longest = 2 * (1 + PIT_LIMIT) * max([len(text) for text in self.texts])

    cdef Piece add(self, str text):
        """Add a text and return where it will be."""
        cdef Piece piece = Piece(self.length, len(text))
        self.texts.append(text)
        self.length += piece.length
        return piece

    cdef Frame add_frame(self, str sentence):
        head, _, tail = sentence.partition(GAP)
        return Frame(self.add(head), self.add(tail))

    cdef str sentence(self, uint32_t sowing, char* out):
        """Return the sentence for a sowing; `out` has room for the longest."""
        cdef uint8_t drops[PIT_LIMIT]
        cdef int pit = <int>pit_of(sowing), count = read_split(split_of(sowing), drops)
        cdef int step = 1 if is_clockwise(sowing) else PITS - 1
        cdef int target = next_pit(pit, step), i = 0
        cdef char* end = out
        cdef Frame* frame
        while drops[i] == 0:
            i += 1
            target = next_pit(target, step)
        if drops[i] == count:
            frame = &self.into_one[pit][count]
            end = self.write(&frame.head, end)
            end = self.write(&self.number[target], end)
        else:
            frame = &self.into_several[pit][count]
            end = self.write(&frame.head, end)
            end = self.write(&self.drop[target][drops[i]], end)
            for i in range(i + 1, count):
                target = next_pit(target, step)
                if drops[i]:
                    end = self.write(&self.separator, end)
                    end = self.write(&self.drop[target][drops[i]], end)
        end = self.write(&frame.tail, end)
        return PyUnicode_FromKindAndData(self.kind, out, (end - out) // self.kind)

    cdef char* write(self, const Piece* piece, char* out) noexcept:
        memcpy(out, self.data + piece.start * self.kind, piece.length * self.kind)
        return out + piece.length * self.kind


cdef int next_pit(int pit, int step) noexcept nogil:
    """The neighbour of a pit: `step` is 1 clockwise, PITS - 1 anticlockwise."""
    pit += step
    return pit - PITS if pit >= PITS else pit


# By player and language: four colours in a few languages. Splitting takes longer than 1,000
# sentences.
cdef object find_phrases = lru_cache(maxsize=16)(Phrases)


cdef list sowing_words(object moves, uint32_t first, str player, object language):
    cdef Phrases phrases = find_phrases(player, language)
    cdef char* out = <char*>PyMem_Malloc(phrases.longest * phrases.kind)
    cdef uint32_t move
    if out == NULL:
        raise MemoryError
    try:
        return [phrases.sentence(move - first, out) for move in moves]
    finally:
        PyMem_Free(out)


# ---- Sowings as paths ----------------------------------------------------------------------------

cdef list sowing_paths(object moves, uint32_t first):
    cdef uint32_t move
    return [sowing_path(move - first) for move in moves]


cdef tuple sowing_path(uint32_t sowing):
    cdef uint8_t drops[PIT_LIMIT]
    cdef int pit = <int>pit_of(sowing), count = read_split(split_of(sowing), drops)
    cdef int step = 1 if is_clockwise(sowing) else PITS - 1
    cdef int i, n = 1
    cdef tuple path = PyTuple_New(1 + count)
    put(path, 0, pit)
    for i in range(count):
        pit = next_pit(pit, step)
        for _ in range(drops[i]):
            put(path, n, pit)
            n += 1
    return path


cdef inline void put(tuple path, int at, int pit) noexcept:
    part = <object>PIT_PARTS[pit]
    Py_INCREF(part)
    PyTuple_SET_ITEM(path, at, part)


# ---- The board -----------------------------------------------------------------------------------

cdef str square_name(int square):
    return "abcdef"[square % SIZE] + "123456"[square // SIZE]


cdef str piece_on(str layout, int square):
    return layout[(SIZE - 1 - square // SIZE) * (SIZE + 1) + square % SIZE]


# ---- Ends ----------------------------------------------------------------------------------------

cdef str tell_end(str sentence, object after, object language):
    if after.winner is not None:
        text = language.gettext("{sentence}; {player} wins")
        return text.format(sentence=sentence, player=colour_name(after.winner, language))
    if after.phase == "over":
        return language.gettext("{sentence}; the game is a draw").format(sentence=sentence)
    return sentence


# ---- Reasons -------------------------------------------------------------------------------------

cdef str explain_turn(object view, int seat, object language):
    if view.phase == "over":
        return language.gettext("The game is over")
    if seat != view.to_move:
        player = colour_name(view.to_move, language)
        return language.gettext("It is the turn of {player}").format(player=player)
    return None


cdef str explain_distance(tuple beads, int origin, int target, object language):
    cdef uint8_t ring[PITS]
    cdef int direction
    read_beads(beads, ring)
    if origin % SIZE == target % SIZE:
        direction = NORTH if target > origin else SOUTH
    else:
        direction = EAST if target > origin else WEST
    cdef int pit = geometry.pit_ahead[origin][direction], count = ring[pit]
    cdef int reached = destination(ring, origin, direction)
    if reached == target:
        return None
    if count == 0:
        text = language.gettext("Pit {pit} is empty, so {origin} cannot move towards it")
    elif reached == OFF_BOARD:
        text = language.ngettext(
            "Pit {pit} holds {count} bead, so {origin} would leave the board",
            "Pit {pit} holds {count} beads, so {origin} would leave the board",
            count,
        )
    else:
        text = language.ngettext(
            "Pit {pit} holds {count} bead, so {origin} reaches {reached}, not {target}",
            "Pit {pit} holds {count} beads, so {origin} reaches {reached}, not {target}",
            count,
        )
    return text.format(
        pit=pit,
        count=count,
        origin=square_name(origin),
        reached="" if reached == OFF_BOARD else square_name(reached),
        target=square_name(target),
    )


cdef str explain_sowing(tuple beads, uint32_t sowing, object language):
    cdef uint8_t drops[PIT_LIMIT]
    cdef int pit = <int>pit_of(sowing), count = read_split(split_of(sowing), drops)
    cdef int step = 1 if is_clockwise(sowing) else PITS - 1, i
    cdef int held = beads[pit]
    if held == 0:
        return language.gettext("Pit {pit} is empty").format(pit=pit)
    if held < count:
        return language.ngettext(
            "Pit {pit} holds {held} bead, so {count} cannot be taken from it",
            "Pit {pit} holds {held} beads, so {count} cannot be taken from it",
            held,
        ).format(pit=pit, held=held, count=count)
    for i in range(count):
        pit = next_pit(pit, step)
        held = beads[pit]
        if held == PIT_LIMIT and drops[i]:
            text = language.gettext("Pit {pit} is full: it holds {held} beads")
            return text.format(pit=pit, held=held)
        if held + drops[i] > PIT_LIMIT:
            return language.ngettext(
                "Pit {pit} holds {held} bead and has room for {room} more, not for {count}",
                "Pit {pit} holds {held} beads and has room for {room} more, not for {count}",
                held,
            ).format(pit=pit, held=held, room=PIT_LIMIT - held, count=drops[i])
    return None
