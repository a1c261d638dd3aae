"""Many games of one kind at once, for learners: one call steps all of them, without the GIL."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from tablier_core.abi cimport MAX_PACKED, MOVE_SLACK, TABLE, move_t
from tablier_core.batch cimport (
    EVERY_SEAT, Batch, Slot, begin, choose, give_up, list_actions, resume, run, state_of, step,
)
from tablier_core.buffers cimport (
    BYTES, FLOATS, INTEGERS, LONG_INTEGERS, SHORT_INTEGERS, Kind, Lent, borrow,
)
from tablier_core.movelist cimport LONGEST_BYTE_MASK, mask_size
from tablier_core.packing cimport hash_bytes, put, take
from tablier_core.position cimport Game, Position, new_position

from tablier_core.errors import InvalidField, OptionError, TokenInvalid, TokenMalformed

cdef enum:
    MOST_THREADS = 64
    MOST_GAMES = 1 << 24
    LINE = 64                   # bytes of a cache line
    # Of a snapshot: what it begins with, and each game before its state.
    HEAD = 4 + 8
    SLOT_HEAD = 8 + 16 + 16 + 4 + 4 + 2

MAGIC = b"TBV1"


cdef class Vector:
    """Games of one kind that are stepped together, in memory that the caller lends."""

    cdef readonly Game game
    cdef Batch batch
    cdef list lent              # keeps the caller's memory in place
    cdef bytes options
    cdef bint running

    def __cinit__(
        self, Game game not None, options, seeds, *, actions, observations=None, masks=None,
        actors=None, rewards=None, dones=None, illegal=None, finals=None, seats=None,
        int threads=1,
    ):
        cdef Batch* b = &self.batch
        cdef Lent lent
        cdef uint32_t features = game.ops.num_features
        self.game = game
        b.ops = game.ops
        seeds = list(seeds)
        b.games = len(seeds)
        if not 1 <= b.games <= MOST_GAMES:
            raise InvalidField("seeds", f"must have from 1 to {MOST_GAMES} seeds, one per game")
        if not 1 <= threads <= MOST_THREADS:
            raise InvalidField("threads", f"must be from 1 to {MOST_THREADS}")
        b.threads = threads
        self.measure()
        self.allocate()
        self.take_options(options, seats)
        self.lent = []
        lent = borrow(actions, "actions", INTEGERS, b.games)
        self.lent.append(lent)
        b.actions, b.action_size = lent.data, lent.item_size
        b.asked = <int32_t*>self.place(actors, "actors", SHORT_INTEGERS, 1)
        b.observations = <float*>self.place(observations, "observations", FLOATS, features)
        b.masks = <uint8_t*>self.place(masks, "masks", BYTES, b.mask_bytes)
        b.rewards = <float*>self.place(rewards, "rewards", FLOATS, b.seats)
        b.dones = <uint8_t*>self.place(dones, "dones", BYTES, 1)
        b.illegal = <uint8_t*>self.place(illegal, "illegal", BYTES, 1)
        b.finals = <float*>self.place(finals, "finals", FLOATS, features)
        self.reset(seeds)

    def __dealloc__(self):
        cdef Batch* b = &self.batch
        cdef int i
        free(b.slots)
        free(b.states)
        free(b.legal)
        if b.scratch != NULL:
            for i in range(b.threads):
                free(b.scratch[i])
        free(b.scratch)

    cdef object measure(self):
        """Compute the sizes that follow from the game."""
        cdef Batch* b = &self.batch
        for index, phase in enumerate(self.game.phases):
            if phase in self.game.optional_phases:
                b.optional_phases |= <uint32_t>1 << index
        b.space = b.ops.num_actions + (b.optional_phases != 0)
        b.words = (b.space + 63) // 64
        b.packed = b.space > LONGEST_BYTE_MASK
        b.mask_bytes = mask_size(b.space)
        b.stride = (b.ops.state_size + LINE - 1) // LINE * LINE

    cdef object allocate(self):
        cdef Batch* b = &self.batch
        cdef int i
        cdef size_t room = (b.ops.max_moves + MOVE_SLACK) * sizeof(move_t)
        b.slots = <Slot*>calloc(b.games, sizeof(Slot))
        b.states = <uint8_t*>calloc(b.games, b.stride)
        b.legal = <uint64_t*>calloc(b.games * b.words, sizeof(uint64_t))
        b.scratch = <move_t**>calloc(b.threads, sizeof(move_t*))
        if b.slots == NULL or b.states == NULL or b.legal == NULL or b.scratch == NULL:
            raise MemoryError
        for i in range(b.threads):
            b.scratch[i] = <move_t*>malloc(room)
            if b.scratch[i] == NULL:
                raise MemoryError

    cdef object take_options(self, given, learners):
        """Store the options, equal ones once, and the seats that the caller plays."""
        cdef Batch* b = &self.batch
        cdef int64_t i
        cdef dict places = {}
        every = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(every) not in (1, b.games):
            raise OptionError("options", f"must be one mapping, or one for each of {b.games} games")
        packed = [self.game.pack_options(options) for options in every]
        seats = [self.game.start(options, 0).seats for options in every]
        b.seats = max(seats)
        for options in packed:
            places.setdefault(options, len(places))
        learners = [EVERY_SEAT] * b.games if learners is None else list(learners)
        if len(learners) != b.games:
            raise InvalidField("seats", f"must have {b.games} seats, one per game")
        for i in range(b.games):
            chosen = i if len(every) > 1 else 0
            if not EVERY_SEAT <= learners[i] < seats[chosen]:
                raise InvalidField("seats", f"must be from {EVERY_SEAT} to {seats[chosen] - 1}")
            b.slots[i].options = places[packed[chosen]]
            b.slots[i].learner = learners[i]
        self.options = b"".join(places)
        b.options = <const uint8_t*><const char*>self.options
        b.options_stride = b.ops.options_size

    cdef void* place(self, array, str field, Kind kind, int64_t items) except? NULL:
        """Keep an array of the caller, with this many items per game, and return its memory."""
        cdef Lent lent
        if array is None:
            return NULL
        lent = borrow(array, field, kind, self.batch.games * items)
        self.lent.append(lent)
        return lent.data

    # ---- Facts -----------------------------------------------------------------------------------

    def __len__(self):
        return self.batch.games

    @property
    def num_actions(self):
        """The number of actions, with `wait` if the game has it."""
        return self.batch.space

    @property
    def num_features(self):
        """The number of features of an observation."""
        return self.batch.ops.num_features

    @property
    def mask_bytes(self):
        """The bytes of a game's mask."""
        return self.batch.mask_bytes

    @property
    def packed_masks(self):
        """Whether masks have one bit per action, lowest bit first, and not one byte."""
        return bool(self.batch.packed)

    @property
    def seats(self):
        """The most seats of a game: the rewards of each game."""
        return self.batch.seats

    @property
    def bytes_per_game(self):
        """The memory of each game, without what the caller lends."""
        return self.batch.stride + sizeof(Slot) + self.batch.words * sizeof(uint64_t)

    # ---- Playing ---------------------------------------------------------------------------------

    cdef object enter(self):
        """Reject a second thread: both would write to the same memory."""
        if self.running:
            raise RuntimeError("another thread is using this vector")
        self.running = True

    def reset(self, seeds=None):
        """Start all games again: with the seeds of the running episodes, or with new ones."""
        cdef int64_t i
        cdef list given = None if seeds is None else list(seeds)
        if given is not None and len(given) != self.batch.games:
            raise InvalidField("seeds", f"must have {self.batch.games} seeds, one per game")
        self.enter()
        try:
            if given is not None:
                for i in range(self.batch.games):
                    self.batch.slots[i].seed = given[i]
            with nogil:
                run(&self.batch, begin)
        finally:
            self.running = False

    def step(self):
        """Play the action of every game, and write everything that the caller wants to know."""
        self.enter()
        with nogil:
            run(&self.batch, step)
        self.running = False

    def restart(self, games):
        """Give up the episodes of some games, which have a 1 among n uint8, and start new ones."""
        cdef Batch* b = &self.batch
        cdef Lent which = borrow(games, "games", BYTES, b.games)
        self.enter()
        b.given_up = <uint8_t*>which.data
        with nogil:
            run(b, give_up)
        self.running = False

    def choose(self):
        """Fill `actions` with random legal actions."""
        self.enter()
        with nogil:
            run(&self.batch, choose)
        self.running = False

    def list_legal(self, offsets, actions=None):
        """List the legal actions of all games, one after the other, and return their number.

        Those of game i are `actions[offsets[i]:offsets[i + 1]]`, ascending. Without `actions`, only
        the offsets are written.
        """
        cdef Batch* b = &self.batch
        cdef Lent starts = borrow(offsets, "offsets", LONG_INTEGERS, b.games + 1)
        cdef Lent room = None
        cdef int64_t i, total = 0
        if actions is not None:
            room = borrow(actions, "actions", SHORT_INTEGERS, -1)
        self.enter()
        b.offsets = <int64_t*>starts.data
        for i in range(b.games):
            b.offsets[i] = total
            total += b.slots[i].count
        b.offsets[b.games] = total
        if room is not None and room.items >= total:
            b.listed = <int32_t*>room.data
            with nogil:
                run(b, list_actions)
        self.running = False
        if room is not None and room.items < total:
            raise InvalidField("actions", f"must have room for {total} actions")
        return total

    # ---- States ----------------------------------------------------------------------------------

    cdef object check_game(self, int64_t game):
        if not 0 <= game < self.batch.games:
            raise InvalidField("game", f"must be from 0 to {self.batch.games - 1}")

    def position(self, int64_t game):
        """Return the position of a game."""
        self.check_game(game)
        cdef Position position = new_position(self.game, self.batch.slots[game].ply, TABLE)
        memcpy(position.state, state_of(&self.batch, game), self.batch.ops.state_size)
        return position

    def waited(self, int64_t game):
        """Return the mask of the seats of a game that have waited since the last move."""
        self.check_game(game)
        return self.batch.slots[game].waited

    cdef uint64_t kind(self):
        """Identify what a snapshot must share with this vector: the game, its options and seats."""
        cdef bytes text
        cdef Batch* b = &self.batch
        cdef int64_t i
        parts = [(b.slots[i].options, b.slots[i].learner) for i in range(b.games)]
        text = f"{self.game.name} {self.game.rules_version} {parts} {self.options.hex()}".encode()
        return hash_bytes(0, <const uint8_t*><const char*>text, len(text))

    def snapshot(self):
        """Return all games as bytes: `restore` continues from them, byte for byte."""
        cdef Batch* b = &self.batch
        cdef uint8_t[SLOT_HEAD + MAX_PACKED] room
        cdef uint8_t* cursor
        cdef Slot* slot
        cdef size_t length
        cdef int64_t i
        cdef list parts = [MAGIC, self.kind().to_bytes(8, "little")]
        for i in range(b.games):
            slot = &b.slots[i]
            length = b.ops.pack(state_of(b, i), room + SLOT_HEAD)
            cursor = room
            put(&cursor, slot.seed, 8)
            put(&cursor, slot.seeds.state, 8)
            put(&cursor, slot.seeds.increment, 8)
            put(&cursor, slot.chance.state, 8)
            put(&cursor, slot.chance.increment, 8)
            put(&cursor, slot.waited, 4)
            put(&cursor, slot.ply, 4)
            put(&cursor, length, 2)
            parts.append(PyBytes_FromStringAndSize(<char*>room, SLOT_HEAD + length))
        return b"".join(parts)

    def restore(self, const uint8_t[::1] data):
        """Continue from a snapshot of this vector, or of one with the same options and seats.

        Raises TokenMalformed or TokenInvalid, and then nothing has changed.
        """
        cdef Batch* b = &self.batch
        cdef bytes head = MAGIC + self.kind().to_bytes(8, "little")
        if data.shape[0] < HEAD or bytes(data[:HEAD]) != head:
            raise TokenMalformed("data", "not a snapshot of such a vector")
        self.enter()
        try:
            # First only check all of it.
            self.read(data, False)
            self.read(data, True)
            with nogil:
                run(b, resume)
        finally:
            self.running = False

    cdef object read(self, const uint8_t[::1] data, bint keep):
        """Read the games of a snapshot; without `keep`, only check them."""
        cdef Batch* b = &self.batch
        cdef Slot[1] other
        cdef Slot* slot
        cdef const uint8_t* cursor = &data[0] + HEAD
        cdef const uint8_t* end = &data[0] + data.shape[0]
        cdef Position checked = new_position(self.game, 0, TABLE)
        cdef size_t length
        cdef int64_t i
        cdef int fault
        for i in range(b.games):
            slot = &b.slots[i] if keep else other
            if end - cursor < SLOT_HEAD:
                raise TokenMalformed("data", "the snapshot is truncated")
            slot.seed = take(&cursor, 8)
            slot.seeds.state = take(&cursor, 8)
            slot.seeds.increment = take(&cursor, 8) | 1
            slot.chance.state = take(&cursor, 8)
            slot.chance.increment = take(&cursor, 8) | 1
            slot.waited = <uint32_t>take(&cursor, 4)
            slot.ply = <uint32_t>take(&cursor, 4)
            length = take(&cursor, 2)
            if end - cursor < <Py_ssize_t>length:
                raise TokenMalformed("data", "the snapshot is truncated")
            fault = b.ops.unpack(state_of(b, i) if keep else checked.state, cursor, length)
            if fault:
                faults = b.ops.faults.decode("ascii").split("\n")
                raise TokenInvalid("data", f"game {i}: {faults[fault - 1]}")
            cursor += length
        if cursor != end:
            raise TokenMalformed("data", "the snapshot is too long")
