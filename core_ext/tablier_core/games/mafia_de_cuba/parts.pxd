# The things on the table as numbers (rules page: Seats and options): tokens, the box, takes and
# what can be claimed of them. All inline, so that every file of the game shares them at no cost.

from libc.stdint cimport uint8_t, uint16_t

# Token kinds.
cdef enum:
    LOYAL = 0
    FBI
    CIA
    DRIVER
    CLEANER
    KINDS
    NO_TOKEN = KINDS                    # in the pouch: nothing

# Questions.
cdef enum:
    RECEIVED_DIAMONDS = 0
    RECEIVED_TOKENS
    PASSED_DIAMONDS
    PASSED_TOKENS
    TOOK
    ASKABLE                             # how many there are

cdef enum:
    DIAMONDS = 15
    MAX_HIDDEN = 5

# What a seat took: nothing, a number of diamonds, or FIRST_TOKEN + the kind of a token.
cdef enum:
    NOTHING = 0
    FIRST_TOKEN = DIAMONDS + 1
    TAKES = FIRST_TOKEN + KINDS

# A set of tokens is one number, the counts in mixed radix: loyal, FBI, CIA, driver, cleaner. A
# claim is one number too: its question's first claim + the count, the set or the take claimed.
cdef enum:
    SETS = 6 * 2 * 2 * 3 * 2
    CLAIM_RECEIVED_TOKENS = DIAMONDS + 1
    CLAIM_PASSED_DIAMONDS = CLAIM_RECEIVED_TOKENS + SETS
    CLAIM_PASSED_TOKENS = CLAIM_PASSED_DIAMONDS + DIAMONDS + 1
    CLAIM_TOOK = CLAIM_PASSED_TOKENS + SETS
    CLAIMS = CLAIM_TOOK + TAKES

cdef struct Box:
    uint8_t diamonds
    uint8_t tokens[KINDS]


cdef inline int limit_of(int kind) noexcept nogil:
    """How many tokens of a kind the game comes with."""
    return 5 if kind == LOYAL else 2 if kind == DRIVER else 1


cdef inline int place_of(int kind) noexcept nogil:
    """What one more token of a kind adds to the number of a set."""
    if kind == LOYAL:
        return 24
    if kind == FBI:
        return 12
    if kind == CIA:
        return 6
    return 2 if kind == DRIVER else 1


cdef inline int count_in(int token_set, int kind) noexcept nogil:
    """How many tokens of a kind a numbered set has."""
    return token_set // place_of(kind) % (limit_of(kind) + 1)


cdef inline int number_of(const uint8_t* tokens) noexcept nogil:
    """The number of a set."""
    cdef int kind, token_set = 0
    for kind in range(KINDS):
        token_set += tokens[kind] * place_of(kind)
    return token_set


cdef inline int first_claim(int question) noexcept nogil:
    """Where the claims of a question begin; for ASKABLE, where they all end."""
    if question <= RECEIVED_TOKENS:
        return 0 if question == RECEIVED_DIAMONDS else CLAIM_RECEIVED_TOKENS
    if question <= PASSED_TOKENS:
        return CLAIM_PASSED_DIAMONDS if question == PASSED_DIAMONDS else CLAIM_PASSED_TOKENS
    return CLAIM_TOOK if question == TOOK else CLAIMS


cdef inline int question_of(int claim) noexcept nogil:
    """Which question a claim answers."""
    cdef int question = RECEIVED_DIAMONDS
    while claim >= first_claim(question + 1):
        question += 1
    return question


cdef inline bint claim_fits(int setup_set, int claim) noexcept nogil:
    """An answer: whether a claim has a form that the setup allows."""
    cdef int kind, question = question_of(claim), value = claim - first_claim(question)
    if question == RECEIVED_DIAMONDS or question == PASSED_DIAMONDS:
        return True
    if question == TOOK:
        return value < FIRST_TOKEN or count_in(setup_set, value - FIRST_TOKEN) > 0
    for kind in range(KINDS):
        if count_in(value, kind) > count_in(setup_set, kind):
            return False
    return True


cdef inline int diamonds_of(int taken) noexcept nogil:
    return taken if taken <= DIAMONDS else 0


cdef inline bint is_agent(int taken) noexcept nogil:
    return taken == FIRST_TOKEN + FBI or taken == FIRST_TOKEN + CIA


cdef inline bint is_empty(const Box* box) noexcept nogil:
    cdef int kind, count = box.diamonds
    for kind in range(KINDS):
        count += box.tokens[kind]
    return count == 0


cdef inline void remove(Box* box, int taken) noexcept nogil:
    if taken >= FIRST_TOKEN:
        box.tokens[taken - FIRST_TOKEN] -= 1
    else:
        box.diamonds -= <uint8_t>taken


cdef inline uint16_t bit(int seat) noexcept nogil:
    """The set of seats with this one alone."""
    return <uint16_t>(1 << seat)
