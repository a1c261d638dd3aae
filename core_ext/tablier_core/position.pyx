"""Games and positions as immutable Python objects around the C interface."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport (
    MAX_NOTATION, MAX_PACKED, MAX_SEATS, MOVE_SLACK, TABLE, GameOps, move_t,
)
from tablier_core.movelist cimport LONGEST_BYTE_MASK, is_listed, mask_size, write_mask
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport GAME_STREAM, VIEW_STREAM, Rng, rng_seed

from tablier_core.actions import read_parts
from tablier_core.drawing import PLAIN
from tablier_core.errors import GameOver, MoveIllegal, MoveUnparsable, TokenInvalid, WrongSeat
from tablier_core.features import read_slices
from tablier_core.languages import IN_ENGLISH

REFEREE = TABLE


cdef class Game:
    """A game: its facts and texts, and how to start a game, read positions and show them."""

    def __cinit__(
        self, capsule, *, title, french_title, summary, options, notation,
        pack_options, observe, draw_text, draw_svg, telling,
        action_parts="", public_moves=(), optional_phases=(),
    ):
        self.ops = <const GameOps*>PyCapsule_GetPointer(capsule, "tablier_core.GameOps")
        self.scratch = <move_t*>PyMem_Malloc((self.ops.max_moves + MOVE_SLACK) * sizeof(move_t))
        if self.scratch == NULL:
            raise MemoryError
        self.name = self.ops.name.decode("ascii")
        self.title = title
        self.french_title = french_title
        self.summary = summary
        self.phases = tuple(self.ops.phases.decode("ascii").split(" "))
        self.features = read_slices(self.ops.features.decode("ascii"))
        if sum([each.size for each in self.features]) != self.ops.num_features:
            raise ValueError(f"{self.name}: its features are not num_features numbers")
        self.action_parts = read_parts(action_parts or f"action {self.ops.num_actions} number")
        if sum([each.size for each in self.action_parts]) != self.ops.num_actions:
            raise ValueError(f"{self.name}: its parts are not num_actions actions")
        self.options = options
        self.notation = tuple(notation)
        self.public_moves = tuple(public_moves)
        self.optional_phases = tuple(optional_phases)
        self._pack_options = pack_options
        self._observe = observe
        self._draw_text = draw_text
        self._draw_svg = draw_svg
        self._telling = telling

    def __dealloc__(self):
        PyMem_Free(self.scratch)

    def __repr__(self):
        return f"<Game {self.name}>"

    @property
    def rules_version(self):
        return self.ops.rules_version

    @property
    def num_actions(self):
        return self.ops.num_actions

    @property
    def max_moves(self):
        return self.ops.max_moves

    @property
    def features_version(self):
        return self.ops.features_version

    @property
    def num_features(self):
        return self.ops.num_features

    @property
    def mask_size(self):
        return mask_size(self.ops.num_actions)

    @property
    def mask_has_bits(self):
        return self.ops.num_actions > LONGEST_BYTE_MASK

    @property
    def min_seats(self):
        return self.ops.min_seats

    @property
    def max_seats(self):
        return self.ops.max_seats

    @property
    def has_hidden_information(self):
        return self.ops.determinize != NULL

    def pack_options(self, given):
        """Check options and return them as the bytes of the game's struct; raises OptionError."""
        packed = self._pack_options(self.options.read(given))
        assert len(packed) == self.ops.options_size
        return packed

    def text_colours(self, language=IN_ENGLISH):
        """Return words of the drawing as text, and the colour of the palette for each of them."""
        return self._telling.colours(language)

    def player_name(self, int seat, language=IN_ENGLISH):
        """Return what the words of moves call the seat that moves."""
        return self._telling.player(seat, language)

    def synonyms(self, language=IN_ENGLISH):
        """Return what people write instead of the words of moves, in lists with one meaning."""
        return self._telling.synonyms(language)

    def start(self, options, uint64_t seed):
        """Return the first position of a game. Equal options and seeds give equal games, always."""
        cdef Position position = new_position(self, 0, TABLE)
        cdef bytes packed = self.pack_options(options)
        cdef Rng rng
        rng_seed(&rng, seed, GAME_STREAM)
        self.ops.setup(position.state, <const char*>packed, &rng)
        return position

    def unpack(self, const uint8_t[::1] data, uint32_t ply=0, int viewer=TABLE):
        """Return the position that packed bytes describe; raises TokenInvalid."""
        return self.unpack_at(&data[0] if data.shape[0] else NULL, data.shape[0], ply, viewer)

    cdef Position unpack_at(self, const uint8_t* data, size_t length, uint32_t ply, int viewer):
        """Do the same for bytes in another object's memory."""
        cdef Position position = new_position(self, ply, viewer)
        cdef int fault = self.ops.unpack(position.state, data, length)
        if fault:
            raise TokenInvalid("state", self.ops.faults.decode("ascii").split("\n")[fault - 1])
        if not TABLE <= viewer < self.ops.seats(position.state):
            raise TokenInvalid("state", "viewer: no such seat")
        return position

    def write_move(self, move_t action):
        """Return the notation of an action."""
        cdef char text[MAX_NOTATION]
        if action >= self.ops.num_actions:
            raise MoveUnparsable("action", f"must be below {self.ops.num_actions}")
        return text[:self.ops.write_move(action, text)].decode("ascii")

    def is_public(self, move_t action):
        """Whether every seat sees the move when it is made."""
        cdef str notation = self.write_move(action)
        if not self.has_hidden_information:
            return True
        return any([f"{notation} ".startswith(f"{words} ") for words in self.public_moves])

    def read_move(self, str notation):
        """Return the action that a notation stands for; raises MoveUnparsable."""
        cdef long action = -1
        cdef bytes text
        if len(notation) <= MAX_NOTATION and notation.isascii():
            text = notation.encode("ascii")
            action = self.ops.read_move(text, len(text))
        if action < 0:
            forms = ", ".join([form for form, _ in self.notation])
            raise MoveUnparsable("notation", f"not a move of this game; its notation is: {forms}")
        return action


cdef Position new_position(Game game, uint32_t ply, int viewer):
    cdef Position position = Position.__new__(Position)
    position.state = PyMem_Malloc(game.ops.state_size)
    if position.state == NULL:
        raise MemoryError
    position.game = game
    position.ply = ply
    position.viewer = viewer
    return position


cdef class Position:
    """One state of a game. It never changes; `apply` returns a new one."""

    def __init__(self):
        raise TypeError("use Game.start, Game.unpack or Position.apply to get a Position")

    def __dealloc__(self):
        PyMem_Free(self.state)

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        cdef Position that = other
        return (
            self.game is that.game and self.ply == that.ply and self.viewer == that.viewer
            and self.pack() == that.pack()
        )

    def __hash__(self):
        return hash(self.pack())

    def __repr__(self):
        return f"<Position of {self.game.name} at ply {self.ply}: {self.phase}>"

    cdef Position copy(self):
        """Return a copy that the caller may change before anyone else sees it."""
        cdef Position twin = new_position(self.game, self.ply, self.viewer)
        memcpy(twin.state, self.state, self.game.ops.state_size)
        return twin

    @property
    def seats(self):
        return self.game.ops.seats(self.state)

    @property
    def phase(self):
        return self.game.phases[self.game.ops.phase(self.state)]

    @property
    def actors(self):
        """The seats that may move now, ascending; none if the game is over."""
        cdef uint32_t mask = self.game.ops.actors(self.state)
        return [seat for seat in range(MAX_SEATS) if mask >> seat & 1]

    @property
    def over(self):
        return self.game.ops.actors(self.state) == 0

    cpdef object check_running(self):
        """Raise GameOver if the game is over."""
        if self.game.ops.actors(self.state) == 0:
            raise GameOver("state", "the game is over")

    cpdef object check_actor(self, int seat):
        """Raise WrongSeat unless the seat is to move."""
        if not 0 <= seat < MAX_SEATS or not self.game.ops.actors(self.state) >> seat & 1:
            raise WrongSeat("seat", f"seat {seat} is not to move; to move: {self.actors}")

    cdef uint32_t list_moves(self, int seat) noexcept:
        """Fill the game's scratch buffer and return the number of moves. Hold the GIL."""
        return self.game.ops.moves(self.state, seat, self.game.scratch)

    def only_actor(self):
        """Return the only seat to move; raises GameOver, or WrongSeat if there are several."""
        self.check_running()
        actors = self.actors
        if len(actors) > 1:
            raise WrongSeat("seat", f"several seats are to move; name one of {actors}")
        return actors[0]

    cpdef object check_seat(self, int seat, bint table=False):
        """Raise WrongSeat unless the seat exists; with `table`, -1 exists too."""
        if not (TABLE if table else 0) <= seat < self.game.ops.seats(self.state):
            raise WrongSeat("seat", f"must be from {TABLE if table else 0} to {self.seats - 1}")

    cpdef object check_viewer(self, int viewer, str field="seat"):
        """Raise WrongSeat for a field unless the viewer is a seat or the referee (-1)."""
        if not TABLE <= viewer < self.game.ops.seats(self.state):
            raise WrongSeat(field, f"must be from {TABLE} to {self.seats - 1}")

    def moves(self, int seat):
        """Return the legal moves of a seat (-1: the table), ascending; none if not to move."""
        self.check_seat(seat, table=True)
        # Before the moves are listed: a new container may run the garbage collector, and so other
        # threads, which list moves in the same place.
        cdef list out = []
        cdef uint32_t i, n = self.list_moves(seat)
        for i in range(n):
            out.append(self.game.scratch[i])
        return out

    def notations(self, int seat):
        """Return the notations of `moves(seat)`, in the same order."""
        self.check_seat(seat, table=True)
        cdef char text[MAX_NOTATION]
        # Before the moves are listed, as in `moves`.
        cdef list out = []
        cdef uint32_t i, n = self.list_moves(seat)
        for i in range(n):
            out.append(text[:self.game.ops.write_move(self.game.scratch[i], text)].decode("ascii"))
        return out

    def words(self, int seat, language=IN_ENGLISH, moves=None):
        """Return what legal moves of a seat do, in words; of all `moves(seat)`, unless given."""
        listed = self.moves(seat) if moves is None else moves
        return self.game._telling.words(self.observe(seat), seat, listed, language)

    def paths(self, int seat, moves=None):
        """Return the parts of the seat's picture to click, of all `moves(seat)`, unless given."""
        listed = self.moves(seat) if moves is None else moves
        return self.game._telling.paths(self.observe(seat), seat, listed)

    def story(
        self, Position after not None, int seat, move_t move, int viewer, language=IN_ENGLISH
    ):
        """Return what a viewer saw of a move from this position to the one after it, in words."""
        known = viewer == TABLE or viewer == seat or not self.game.has_hidden_information
        return self.game._telling.story(
            self.observe(viewer), after.observe(viewer), seat, move if known else None, language
        )

    def reason(self, int seat, move_t move, language=IN_ENGLISH):
        """Return why a seat (-1: the table) may not make a move now, in words.

        The move must be illegal, and the game not over.
        """
        return self.game._telling.reason(self.observe(seat), seat, move, language)

    def count_moves(self, int seat):
        self.check_seat(seat, table=True)
        return self.list_moves(seat)

    def is_legal(self, int seat, move_t move):
        """Return whether a seat (-1: the table) may make the move now."""
        self.check_seat(seat, table=True)
        cdef uint32_t n = self.list_moves(seat)
        return is_listed(self.game.scratch, n, move)

    def apply(self, int seat, move_t move):
        """Return the position after a move; raises GameOver, WrongSeat or MoveIllegal."""
        self.check_running()
        self.check_seat(seat, table=True)
        if move >= self.game.ops.num_actions:
            raise MoveUnparsable("action", f"must be below {self.game.ops.num_actions}")
        cdef uint32_t n = self.list_moves(seat)
        if not is_listed(self.game.scratch, n, move):
            waits = seat != TABLE and n == 0
            error = WrongSeat if waits else MoveIllegal
            raise error(
                "seat" if waits else "",
                self.reason(seat, move),
                lambda language: self.reason(seat, move, language),
            )
        cdef Position after = self.copy()
        self.game.ops.apply(after.state, seat, move)
        # Only information for the caller: it may stop at the end of its range.
        if after.ply < 0xFFFFFFFFu:
            after.ply += 1
        return after

    def play(self, seat, str notation not None, action):
        """Play a move in the form in which callers send it; return (seat, action, new position).

        A missing seat (None) means the only seat to move. The move is given as a notation, as an
        action, or as both if they agree. Raises what `apply` and `Game.read_move` raise.
        """
        if seat is None:
            seat = self.only_actor()
        if notation:
            read = self.game.read_move(notation)
            if action is not None and action != read:
                raise MoveUnparsable("action", "the notation stands for another action")
            action = read
        elif action is None:
            raise MoveUnparsable("notation", "a move needs a notation or an action")
        return seat, action, self.apply(seat, action)

    @property
    def scores(self):
        """The points of every seat so far."""
        cdef double out[MAX_SEATS]
        self.game.ops.scores(self.state, out)
        return [out[seat] for seat in range(self.seats)]

    @property
    def returns(self):
        """The return of every seat, from -1 to 1; empty until the game is over."""
        cdef double out[MAX_SEATS]
        if not self.over:
            return []
        self.game.ops.returns(self.state, out)
        return [out[seat] for seat in range(self.seats)]

    def pack(self):
        """Return the only byte form of the state."""
        cdef uint8_t out[MAX_PACKED]
        cdef size_t n = self.game.ops.pack(self.state, out)
        return PyBytes_FromStringAndSize(<char*>out, n)

    def features(self, int seat):
        """Return what a seat sees as numbers: native float32, laid out as `Game.features`."""
        self.check_seat(seat)
        cdef bytes out = PyBytes_FromStringAndSize(NULL, self.game.ops.num_features * sizeof(float))
        self.game.ops.write_features(self.state, seat, <float*>PyBytes_AS_STRING(out))
        return out

    def write_features(self, int seat, buffer):
        """Write the features of a seat into memory of exactly their size, such as an array."""
        cdef Py_buffer memory
        self.check_seat(seat)
        PyObject_GetBuffer(buffer, &memory, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS)
        try:
            if <size_t>memory.len != self.game.ops.num_features * sizeof(float):
                raise ValueError(f"the buffer must have {4 * self.game.ops.num_features} bytes")
            if <size_t>memory.buf % sizeof(float):
                raise ValueError("the buffer must be aligned for float32")
            self.game.ops.write_features(self.state, seat, <float*>memory.buf)
        finally:
            PyBuffer_Release(&memory)

    def mask(self, int seat):
        """Return a mask of the legal moves of a seat; see `Game.mask_has_bits`."""
        self.check_seat(seat)
        cdef uint32_t actions = self.game.ops.num_actions
        cdef bytes out = PyBytes_FromStringAndSize(NULL, mask_size(actions))
        cdef uint32_t n = self.list_moves(seat)
        write_mask(self.game.scratch, n, actions, <uint8_t*>PyBytes_AS_STRING(out))
        return out

    def actions(self, int seat):
        """Return `moves(seat)` as native uint32 numbers, for arrays."""
        self.check_seat(seat)
        cdef uint32_t n = self.list_moves(seat)
        return PyBytes_FromStringAndSize(<char*>self.game.scratch, n * sizeof(move_t))

    def observe(self, int viewer=TABLE):
        """Return what a viewer may know, as the game's view object; -1 is the referee."""
        self.check_viewer(viewer)
        return self.game._observe(self, viewer)

    def draw_text(self, int viewer=TABLE, language=IN_ENGLISH):
        """Draw the view of a seat as text."""
        return self.game._draw_text(self.observe(viewer), language)

    def draw_svg(self, int viewer=TABLE, look=PLAIN):
        """Draw the view of a seat as SVG."""
        return self.game._draw_svg(self.observe(viewer), look)

    def infoset(self, int viewer):
        """Return a hash of everything that a seat knows: all of the state if nothing is hidden."""
        self.check_viewer(viewer)
        cdef uint8_t packed[MAX_PACKED]
        if self.game.ops.infoset == NULL:
            return hash_bytes(0, packed, self.game.ops.pack(self.state, packed))
        return self.game.ops.infoset(self.state, viewer)

    def determinize(self, int viewer, uint64_t seed):
        """Draw a world: a position that the viewer cannot tell from this one."""
        self.check_viewer(viewer)
        cdef Position world = self.copy()
        cdef Rng rng
        if self.game.ops.determinize != NULL:
            rng_seed(&rng, seed, VIEW_STREAM)
            self.game.ops.determinize(world.state, viewer, &rng)
        return world

    def view_of(self, int viewer):
        """Return what a seat may hold: a world of its information set, marked as its view.

        The information set is also the seed, so asking twice reveals nothing more.
        """
        self.check_seat(viewer)
        cdef Position world = self.determinize(viewer, self.infoset(viewer))
        world.viewer = viewer
        return world
