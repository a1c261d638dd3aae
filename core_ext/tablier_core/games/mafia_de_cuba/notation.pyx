"""Mafia de Cuba: the unique spelling of every action (reference: Moves and notation)."""

from libc.string cimport memcmp, memcpy, strlen

from tablier_core.abi cimport MAX_NOTATION, MAX_SEATS, move_t
from tablier_core.games.mafia_de_cuba.claims cimport first_claim, question_of
from tablier_core.games.mafia_de_cuba.state cimport (
    ACTIONS, ASKABLE, BANG, CIA, CLEANER, DIAMONDS, DRIVER, FBI, FIRST_ACCUSE, FIRST_ASK,
    FIRST_HIDE, FIRST_POUCH, FIRST_SAY, FIRST_TAKE, FIRST_TOKEN, HOLD, KINDS, LOYAL, MAX_HIDDEN,
    NO_TOKEN, NOTHING, PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS, RECEIVED_TOKENS, SILENT,
    TOOK,
    count_in, limit_of, place_of,
)

cdef const char* KIND_WORDS[KINDS]
KIND_WORDS[LOYAL] = b"loyal"
KIND_WORDS[FBI] = b"fbi"
KIND_WORDS[CIA] = b"cia"
KIND_WORDS[DRIVER] = b"driver"
KIND_WORDS[CLEANER] = b"cleaner"
cdef const char* QUESTION_WORDS[ASKABLE]
QUESTION_WORDS[RECEIVED_DIAMONDS] = b"received-diamonds"
QUESTION_WORDS[RECEIVED_TOKENS] = b"received-tokens"
QUESTION_WORDS[PASSED_DIAMONDS] = b"passed-diamonds"
QUESTION_WORDS[PASSED_TOKENS] = b"passed-tokens"
QUESTION_WORDS[TOOK] = b"took"
cdef const char* LETTERS = b"LFCDN"

# ---- Writing -------------------------------------------------------------------------------------

cdef void write_text(char** cursor, const char* text) noexcept nogil:
    cdef size_t length = strlen(text)
    memcpy(cursor[0], text, length)
    cursor[0] += length


cdef void write_number(char** cursor, int number) noexcept nogil:
    if number > 9:
        cursor[0][0] = <char>(48 + number // 10)        # '0'
        cursor[0] += 1
    cursor[0][0] = <char>(48 + number % 10)
    cursor[0] += 1


cdef void write_take(char** cursor, int taken) noexcept nogil:
    if taken == NOTHING:
        write_text(cursor, b"nothing")
    elif taken >= FIRST_TOKEN:
        write_text(cursor, KIND_WORDS[taken - FIRST_TOKEN])
    else:
        write_number(cursor, taken)


cdef void write_set(char** cursor, int token_set) noexcept nogil:
    cdef int kind
    if token_set == 0:
        write_text(cursor, b"-")
    for kind in range(KINDS):
        if count_in(token_set, kind):
            cursor[0][0] = LETTERS[kind]
            cursor[0] += 1
            write_number(cursor, count_in(token_set, kind))


cdef void write_claim(char** cursor, int claim) noexcept nogil:
    cdef int question = question_of(claim), value = claim - first_claim(question)
    write_text(cursor, QUESTION_WORDS[question])
    write_text(cursor, b" ")
    if question == TOOK:
        write_take(cursor, value)
    elif question == RECEIVED_TOKENS or question == PASSED_TOKENS:
        write_set(cursor, value)
    else:
        write_number(cursor, value)


cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef char* cursor = out
    if move >= BANG:
        write_text(&cursor, b"bang")
    elif move >= HOLD:
        write_text(&cursor, b"hold")
    elif move >= SILENT:
        write_text(&cursor, b"silent")
    elif move >= FIRST_SAY:
        write_text(&cursor, b"say ")
        write_claim(&cursor, <int>move - FIRST_SAY)
    elif move >= FIRST_ACCUSE:
        write_text(&cursor, b"accuse ")
        write_number(&cursor, <int>move - FIRST_ACCUSE + 1)
    elif move >= FIRST_ASK:
        write_text(&cursor, b"ask ")
        write_number(&cursor, <int>(move - FIRST_ASK) // ASKABLE + 1)
        write_text(&cursor, b" ")
        write_text(&cursor, QUESTION_WORDS[(move - FIRST_ASK) % ASKABLE])
    elif move >= FIRST_TAKE:
        write_text(&cursor, b"take ")
        write_take(&cursor, <int>move - FIRST_TAKE)
    elif move >= FIRST_POUCH:
        write_text(&cursor, b"pouch ")
        if move == FIRST_POUCH + NO_TOKEN:
            write_text(&cursor, b"none")
        else:
            write_text(&cursor, KIND_WORDS[move - FIRST_POUCH])
    else:
        write_text(&cursor, b"hide ")
        write_number(&cursor, <int>move - FIRST_HIDE)
    return <int>(cursor - out)


# ---- Reading -------------------------------------------------------------------------------------

# The functions below tolerate trailing text and leading zeros: `read_move` writes the action that
# they found and compares, so it accepts only the exact spelling. `text` ends with a zero byte.

cdef bint skip(const char** text, const char* word) noexcept nogil:
    """Skip the word if the text starts with it."""
    cdef size_t i = 0
    while word[i]:
        if text[0][i] != word[i]:
            return False
        i += 1
    text[0] += i
    return True


cdef int read_word(const char** text, const char** words, int count) noexcept nogil:
    """The index of the word that the text starts with, or -1."""
    cdef int i
    for i in range(count):
        if skip(text, words[i]):
            return i
    return -1


cdef int read_number(const char** text, int limit) noexcept nogil:
    """A number up to the limit, or -1."""
    cdef int number = 0
    if not 48 <= text[0][0] <= 57:
        return -1
    while 48 <= text[0][0] <= 57 and number <= limit:
        number = 10 * number + text[0][0] - 48
        text[0] += 1
    return number if number <= limit else -1


cdef int read_take(const char** text) noexcept nogil:
    cdef int kind
    if skip(text, b"nothing"):
        return NOTHING
    kind = read_word(text, KIND_WORDS, KINDS)
    return FIRST_TOKEN + kind if kind >= 0 else read_number(text, DIAMONDS)


cdef int read_set(const char** text) noexcept nogil:
    cdef int kind, token_set = 0
    if skip(text, b"-"):
        return 0
    for kind in range(KINDS):
        if text[0][0] == LETTERS[kind] and 48 <= text[0][1] <= 48 + limit_of(kind):
            token_set += place_of(kind) * (text[0][1] - 48)
            text[0] += 2
    return token_set


cdef int read_claim(const char** text) noexcept nogil:
    cdef int value, question = read_word(text, QUESTION_WORDS, ASKABLE)
    if question < 0 or not skip(text, b" "):
        return -1
    if question == TOOK:
        value = read_take(text)
    elif question == RECEIVED_TOKENS or question == PASSED_TOKENS:
        value = read_set(text)
    else:
        value = read_number(text, DIAMONDS)
    return -1 if value < 0 else first_claim(question) + value


cdef long guess_move(const char* text) noexcept nogil:
    """The only action that the text can spell, or -1."""
    cdef int value = -1, question
    cdef long first = 0
    if skip(&text, b"hide "):
        first, value = FIRST_HIDE, read_number(&text, MAX_HIDDEN)
    elif skip(&text, b"pouch "):
        first, value = FIRST_POUCH, read_word(&text, KIND_WORDS, KINDS)
        if value < 0:
            value = NO_TOKEN
    elif skip(&text, b"take "):
        first, value = FIRST_TAKE, read_take(&text)
    elif skip(&text, b"ask "):
        first, value = FIRST_ASK - ASKABLE, ASKABLE * read_number(&text, MAX_SEATS - 1)
        if not skip(&text, b" "):
            return -1
        question = read_word(&text, QUESTION_WORDS, ASKABLE)
        value = value + question if question >= 0 and value > 0 else -1
    elif skip(&text, b"accuse "):
        first, value = FIRST_ACCUSE - 1, read_number(&text, MAX_SEATS - 1)
    elif skip(&text, b"say "):
        first, value = FIRST_SAY, read_claim(&text)
    elif skip(&text, b"silent"):
        return SILENT
    elif skip(&text, b"hold"):
        return HOLD
    elif skip(&text, b"bang"):
        return BANG
    return -1 if value < 0 else first + value


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef char given[MAX_NOTATION + 1]
    cdef char spelled[MAX_NOTATION]
    cdef long move
    if length > MAX_NOTATION:
        return -1
    memcpy(given, text, length)
    given[length] = 0
    move = guess_move(given)
    if move < 0 or write_move(<move_t>move, spelled) != <int>length:
        return -1
    return move if memcmp(given, spelled, length) == 0 else -1


# ---- For Python ----------------------------------------------------------------------------------

KIND_NAMES = tuple([KIND_WORDS[kind].decode("ascii") for kind in range(KINDS)])


cdef str name_question(int question):
    return QUESTION_WORDS[question].decode("ascii")


cdef str name_take(int taken):
    """What follows `take ` and `say took `."""
    cdef char text[MAX_NOTATION]
    cdef char* cursor = text
    write_take(&cursor, taken)
    return text[:cursor - text].decode("ascii")


cdef object name_claim(int claim):
    cdef int question = question_of(claim), value = claim - first_claim(question)
    if question == TOOK:
        return name_take(value)
    if question == RECEIVED_DIAMONDS or question == PASSED_DIAMONDS:
        return value
    return {KIND_NAMES[kind]: count_in(value, kind) for kind in range(KINDS)}


cdef tuple name_move(int move):
    """Return the form of a move, the seat it names, its question, and what it claims or takes."""
    if move >= SILENT:
        return ("silent", "hold", "bang")[move - SILENT], None, None, None
    if move >= FIRST_SAY:
        claim = move - FIRST_SAY
        return "say", None, name_question(question_of(claim)), name_claim(claim)
    if move >= FIRST_ACCUSE:
        return "accuse", move - FIRST_ACCUSE + 1, None, None
    if move >= FIRST_ASK:
        question = name_question((move - FIRST_ASK) % ASKABLE)
        return "ask", (move - FIRST_ASK) // ASKABLE + 1, question, None
    if move >= FIRST_TAKE:
        return "take", None, None, name_take(move - FIRST_TAKE)
    if move >= FIRST_POUCH:
        return "pouch", None, None, (*KIND_NAMES, "none")[move - FIRST_POUCH]
    return "hide", None, None, move - FIRST_HIDE


MOVES = tuple([name_move(move) for move in range(ACTIONS)])
