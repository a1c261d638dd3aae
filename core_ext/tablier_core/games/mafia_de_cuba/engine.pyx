"""How Mafia de Cuba is played well: what each move is worth by what the box can have held.

The Godfather asks about what he is least sure of, and accuses whom he can be surest of
(inference.pyx has the chances). The others imagine him: they draw what he may know, let him hear
each story that they could tell, and choose the one that leaves him thinking what suits them. In the
theft they draw how the box may go round, and take what wins most often.

Stories and takes that are nearly as good are drawn by lot: else whoever knows this engine would
know what they hide. Every decision is settled here, without a tree. All sums are of IEEE 754's
basic operations, in a fixed order: the same on every machine.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_SEATS, SETTLED, Verdict, move_t
from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.mafia_de_cuba.inference cimport (
    Mind, draw_one, draw_takes, enter_mind, goes_on_without, infer, look_back, look_forward,
    step_back,
)
from tablier_core.games.mafia_de_cuba.notation cimport (
    BANG, FIRST_ACCUSE, FIRST_ASK, FIRST_HIDE, FIRST_POUCH, FIRST_SAY, FIRST_TAKE, SILENT,
)
from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, CIA, CLEANER, DIAMONDS, DRIVER, FBI, FIRST_TOKEN, KINDS, LOYAL, NO_TOKEN,
    NOTHING, PASSED_DIAMONDS, PASSED_TOKENS, RECEIVED_DIAMONDS, RECEIVED_TOKENS, SETS, TAKES, TOOK,
    bit, diamonds_of, first_claim, is_agent, question_of,
)
from tablier_core.games.mafia_de_cuba.state cimport (
    ANSWER, GODFATHER, INQUIRY, NO_ANSWER, NOT_YET, REACT, State,
)
from tablier_core.games.mafia_de_cuba.stories cimport (
    MOST_STORIES, Stories, Story, make_stories, tell_truth,
)
from tablier_core.games.mafia_de_cuba.testimony cimport (
    BOXES, HONESTY, UNKNOWN, WIDTH, Testimony, Voice, hear, holds, worth,
)
from tablier_core.rng cimport Rng, rng_below, rng_unit

cdef enum:
    MOST_MINDS = 6                      # of the Godfather that a speaker imagines
    MOST_TRIALS = 12                    # by such a Godfather
    SHORT_LIST = 6                      # stories that are tried
    MOST_ROUNDS = 64                    # of the box that a taker imagines

# A thief this certain is accused before any more questions.
cdef double CERTAIN = 0.99
# What the Godfather learns by testing a suspect, beside learning what he does not know.
cdef double TEST = 0.2
# Questions that promise less are not worth asking.
cdef double IDLE = 0.01
# Stories are near-equal whose effects on the Godfather differ by less than this.
cdef double NEAR = 0.02
# How much a trial's end counts for a story, beside what the Godfather thinks after it.
cdef double VERDICT = 0.7
# Takes are near-equal whose chances to win differ by less than this.
cdef double TEMPTING = 0.1
# How often the Godfather finds a thief before he errs, and by how much more for each joker; and
# how often an agent is what he errs upon.
cdef double CATCH = 0.75
cdef double CATCH_WITH_JOKER = 0.05
cdef double ERRS_ON_AGENT = 0.35

# How a game may end, before drivers are looked at: chances that add up to 1.
cdef struct Ending:
    double godfather
    double agent
    double out                          # the Godfather is


# ---- Chances -------------------------------------------------------------------------------------

cdef double thief_chance(const double* takes) noexcept nogil:
    cdef double chance = 0.0
    cdef int taken
    for taken in range(1, DIAMONDS + 1):
        chance += takes[taken]
    return chance


cdef inline double agent_chance(const double* takes) noexcept nogil:
    return takes[FIRST_TOKEN + FBI] + takes[FIRST_TOKEN + CIA]


cdef double readiness(const double* takes, int jokers) noexcept nogil:
    """How good it is for the Godfather to accuse a seat, from 0 to 1.

    The chance to find a thief; where an error is forgiven, an innocent whom he had reason to
    suspect does less harm, but an agent as much as ever.
    """
    cdef double thief = thief_chance(takes)
    if jokers:
        thief *= 2.0 - thief - agent_chance(takes)
    return thief


cdef void foresee(
    const State* s, const Mind* m, const Ending* ending, double* values
) noexcept nogil:
    """What an ending is worth to every seat, by what its take is thought to be."""
    cdef double[MAX_SEATS] won
    cdef double[MAX_SEATS] loot
    cdef double all_loot = 0.0, agents = 0.0
    cdef const double* takes
    cdef int seat, taken
    for seat in range(1, s.seats):
        loot[seat] = 0.0
        if s.in_play & bit(seat):
            agents += agent_chance(m.takes[seat])
            for taken in range(1, DIAMONDS + 1):
                loot[seat] += taken * m.takes[seat][taken]
            all_loot += loot[seat]
    won[0] = ending.godfather
    for seat in range(1, s.seats):
        won[seat] = 0.0
        if s.in_play & bit(seat):
            takes = m.takes[seat]
            won[seat] = (
                ending.godfather * (takes[FIRST_TOKEN + LOYAL] + takes[FIRST_TOKEN + CLEANER])
                + ending.out * takes[NOTHING] + won[seat - 1] * takes[FIRST_TOKEN + DRIVER]
            )
            if agents > 0.0:
                won[seat] += ending.agent * agent_chance(takes) / agents
            if all_loot > 0.0:
                won[seat] += ending.out * loot[seat] / all_loot
    for seat in range(s.seats):
        values[seat] = max(-1.0, min(1.0, 2.0 * won[seat] - 1.0))


cdef int draw_start(const Mind* m, Rng* rng) noexcept nogil:
    """The box that seat 1 took from, by both messages."""
    cdef double[BOXES] chances
    cdef int box
    for box in range(BOXES):
        chances[box] = m.forward[1][box] * m.backward[1][box]
    return draw_one(chances, BOXES, rng)


# ---- The Godfather -------------------------------------------------------------------------------

cdef double doubt(const double* chances, int n) noexcept nogil:
    """How unsure one is among n things: 0 for certainty, near 1 for many of equal chance."""
    cdef double total = 0.0, squares = 0.0
    cdef int i
    for i in range(n):
        total += chances[i]
        squares += chances[i] * chances[i]
    return 1.0 - squares / (total * total) if total > 0.0 else 0.0


cdef void doubt_box(const Mind* m, int receiver, double* diamonds, double* tokens) noexcept nogil:
    """How unsure the Godfather is of the box that a seat received."""
    cdef double[WIDTH] by_diamonds
    cdef double[SETS] by_tokens
    cdef double chance
    cdef int box
    memset(by_diamonds, 0, sizeof(by_diamonds))
    memset(by_tokens, 0, sizeof(by_tokens))
    for box in range(BOXES):
        chance = m.forward[receiver][box] * m.backward[receiver][box]
        by_diamonds[box % WIDTH] += chance
        by_tokens[box // WIDTH] += chance
    diamonds[0] = doubt(by_diamonds, WIDTH)
    tokens[0] = doubt(by_tokens, SETS)


cdef void doubt_seat(const Mind* m, int seat, double* out) noexcept nogil:
    """By question: how much its answer may tell."""
    cdef double thief = thief_chance(m.takes[seat])
    cdef int question
    out[RECEIVED_DIAMONDS] = out[RECEIVED_TOKENS] = 0.0
    if seat > 1:                        # he knows what he sent out
        doubt_box(m, seat, &out[RECEIVED_DIAMONDS], &out[RECEIVED_TOKENS])
    doubt_box(m, seat + 1, &out[PASSED_DIAMONDS], &out[PASSED_TOKENS])
    out[TOOK] = doubt(m.takes[seat], TAKES)
    for question in range(ASKABLE):
        out[question] += TEST * 4.0 * thief * (1.0 - thief)


cdef bint was_asked(const State* s, const Mind* m, int seat, int question) noexcept nogil:
    """Whether a seat has said what a question asks for, or refused to."""
    cdef int i
    if m.words[seat].said[question] != UNKNOWN:
        return True
    for i in range(s.events):
        if s.event[i] >> 2 & 15 == seat and s.event[i] >> 6 == NO_ANSWER + question:
            return True
    return False


cdef double chance_to_win(const State* s, const Mind* m) noexcept nogil:
    """The Godfather's, if he accuses the likeliest thieves, as many as there seem to be."""
    cdef uint32_t left = s.in_play & ~s.revealed & ~1u
    cdef double thieves = 0.0, chance = 1.0, best
    cdef int seat, chosen = 0
    for seat in range(1, s.seats):
        if left & bit(seat):
            thieves += thief_chance(m.takes[seat])
    while left and thieves > 0.0:
        best = -1.0
        for seat in range(1, s.seats):
            if left & bit(seat) and readiness(m.takes[seat], s.jokers_left) > best:
                best = readiness(m.takes[seat], s.jokers_left)
                chosen = seat
        # What is left of the last one counts in part.
        chance *= 1.0 - min(1.0, thieves) * (1.0 - best)
        thieves -= 1.0
        left &= ~bit(chosen)
    return chance


cdef void expect(double chance, double agent, Ending* ending) noexcept nogil:
    """An ending by the Godfather's chance to win, and the part of agents in what he loses."""
    ending.godfather = chance
    ending.agent = (1.0 - chance) * agent
    ending.out = 1.0 - ending.godfather - ending.agent


cdef void inquire(
    const State* s, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """Accuse a certain thief; ask while there is something to learn; else accuse the likeliest."""
    cdef Mind m
    cdef Ending ending
    cdef double[MAX_SEATS][ASKABLE] doubts
    cdef double most = 0.0, surest = 0.0, chance, ready
    cdef int seat, question, target
    cdef uint32_t i
    enter_mind(&m, s, GODFATHER)
    infer(&m, False)
    for seat in range(1, s.seats):
        if not s.in_play & bit(seat):
            continue
        doubt_seat(&m, seat, doubts[seat])
        for question in range(ASKABLE):
            if was_asked(s, &m, seat, question):
                doubts[seat][question] = 0.0
            most = max(most, doubts[seat][question])
        if not s.revealed & bit(seat):
            surest = max(surest, thief_chance(m.takes[seat]))
    if not s.questions_left or most < IDLE:
        most = 0.0
    chance = chance_to_win(s, &m)
    for i in range(n):
        if moves[i] < FIRST_ACCUSE:
            target = <int>(moves[i] - FIRST_ASK) // ASKABLE + 1
            weights[i] = doubts[target][(moves[i] - FIRST_ASK) % ASKABLE]
            if most > 0.0 and surest < CERTAIN:
                weights[i] += 2.0
            expect(chance, ERRS_ON_AGENT, &ending)
        else:
            target = <int>moves[i] - FIRST_ACCUSE + 1
            ready = readiness(m.takes[target], s.jokers_left)
            weights[i] = 1.0 + ready if thief_chance(m.takes[target]) < CERTAIN else 3.0 + ready
            # The rest of the inquiry goes as it would, if this goes well.
            expect(min(chance, ready), 0.0, &ending)
            ending.agent = min(agent_chance(m.takes[target]), 1.0 - ending.godfather)
            ending.out = 1.0 - ending.godfather - ending.agent
        foresee(s, &m, &ending, values + i * s.seats)


# ---- Stories -------------------------------------------------------------------------------------

# A seat, the Godfather as it imagines him, and what it could tell him.
cdef struct Speech:
    const State* s
    int seat
    int taken
    Mind own
    Mind his
    Stories stories
    double effect[MOST_STORIES]         # how well each serves the seat
    double accused[MOST_STORIES]        # how ready the Godfather then is to accuse it


cdef void draw_theft(Speech* p, State* world, Rng* rng) noexcept nogil:
    """A way for the box to have gone round, by all that the seat knows and has heard."""
    cdef int box = draw_start(&p.own, rng), kind
    world.hidden = <uint8_t>(DIAMONDS - box % WIDTH)
    world.pouch = NO_TOKEN
    for kind in range(KINDS):
        if holds[box // WIDTH][kind] < holds[p.own.kit.full][kind]:
            world.pouch = <uint8_t>kind
    p.his.fewest_hidden = p.his.most_hidden = world.hidden
    p.his.box[world.seats] = draw_takes(&p.own, 1, world.seats, box, True, world.takes, rng)


cdef void foretell(Speech* p, const State* world, int other, Rng* rng) noexcept nogil:
    """Let another seat say all that it has not said yet: the truth, or a story."""
    cdef Stories stories
    cdef Story truth
    cdef Testimony* words = &p.his.words[other]
    cdef int question, told = 0, agreeing = 0
    words[0] = p.own.words[other]
    make_stories(world, other, &p.own, False, &stories)
    if stories.n == 0 or not world.in_play & bit(other):
        return
    tell_truth(world, other, &truth)
    for question in range(ASKABLE):
        agreeing += stories.story[0].says[question] == truth.says[question]
    if agreeing < ASKABLE or stories.n > 1 and rng_unit(rng) >= HONESTY[world.takes[other]]:
        told = stories.n - 1 - <int>rng_below(rng, max(1, stories.n - (agreeing == ASKABLE)))
    for question in range(ASKABLE):
        words.said[question] = stories.story[told].says[question]
        words.times[question] = max(1, words.times[question])


cdef void imagine(Speech* p, State* world, Rng* rng) noexcept nogil:
    """Draw what the Godfather knows, and what he will have heard from the others in the end."""
    cdef int other
    world[0] = p.s[0]
    draw_theft(p, world, rng)
    for other in range(1, world.seats):
        if other != p.seat:
            foretell(p, world, other, rng)


cdef void complete(const Speech* p, const Story* story, Testimony* words) noexcept nogil:
    """The seat's testimony once it has told a story to its end."""
    cdef int question
    words[0] = p.own.words[p.seat]
    for question in range(ASKABLE):
        words.said[question] = story.says[question]
        words.times[question] = max(1, words.times[question])


cdef double tell(Speech* p, const Story* story, double* accused) noexcept nogil:
    """What the Godfather thinks once he has heard a story to its end: how it serves the seat."""
    cdef Voice v
    cdef Testimony words
    cdef double[BOXES] message
    cdef double[BOXES] further
    cdef double[TAKES] takes
    cdef double total, hope
    cdef int passenger = p.seat - 1, taken
    complete(p, story, &words)
    memset(takes, 0, sizeof(takes))
    hear(&v, &p.his.kit, &words, p.seat, p.seat == p.s.seats - 1)
    total = step_back(
        &p.his, p.seat, &v, p.his.backward[p.seat + 1], message, p.his.forward[p.seat], takes
    )
    for taken in range(TAKES):
        takes[taken] /= total
    accused[0] = readiness(takes, p.s.jokers_left)
    if p.taken != FIRST_TOKEN + DRIVER:
        # Thieves do not want to be accused; agents and street kids do.
        return -accused[0] if diamonds_of(p.taken) else accused[0]
    # A driver wants what its passenger wants: an agent to be accused, anybody else not to be.
    memset(takes, 0, sizeof(takes))
    hear(&v, &p.his.kit, &p.his.words[passenger], passenger, False)
    total = step_back(
        &p.his, passenger, &v, message, further, p.his.forward[passenger], takes
    )
    for taken in range(TAKES):
        takes[taken] /= total
    hope = 2.0 * agent_chance(p.own.takes[passenger]) - 1.0
    return hope * readiness(takes, p.s.jokers_left)


cdef bint is_frank(const Speech* p) noexcept nogil:
    """Whether a seat has no reason to lie: it is on the Godfather's side, or known to him."""
    return (
        p.taken == FIRST_TOKEN + LOYAL or p.taken == FIRST_TOKEN + CLEANER
        or p.taken == FIRST_TOKEN + DRIVER and p.seat == 1
        or p.s.revealed & bit(p.seat) != 0
    )


cdef void keep_truth(Speech* p) noexcept nogil:
    """Leave no story but the truth, if it can still be told."""
    cdef Story truth
    cdef int question
    tell_truth(p.s, p.seat, &truth)
    for question in range(ASKABLE):
        if p.stories.n and p.stories.story[0].says[question] != truth.says[question]:
            return
    p.stories.n = min(p.stories.n, 1)


cdef int try_story(
    Speech* p, const State* world, const Story* story, const Budget* budget, int done
) noexcept nogil:
    """Let the Godfather hear a story and accuse in a world that was drawn before, to the end.

    1 if the seat wins, 0 if not, -1 if the budget ends before.
    """
    cdef uint16_t left = world.in_play & ~world.revealed & ~bit(GODFATHER)
    cdef int seat, accused, taken, most, jokers = world.jokers_left, driven = p.seat
    complete(p, story, &p.his.words[p.seat])
    for seat in range(1, world.seats):
        p.his.take[seat] = world.takes[seat] if world.revealed & bit(seat) else UNKNOWN
    # A driver wins with its passenger, and may drive a driver.
    while driven and world.takes[driven] == FIRST_TOKEN + DRIVER:
        driven -= 1
    taken = world.takes[driven]
    while spent(budget, done) == STILL_RUNNING:
        infer(&p.his, False)
        most = accused = 0
        for seat in range(1, world.seats):
            if left & bit(seat):
                most = max(most, diamonds_of(world.takes[seat]))
                if not accused or (
                    readiness(p.his.takes[seat], jokers) > readiness(p.his.takes[accused], jokers)
                ):
                    accused = seat
        if most == 0:
            return (
                driven == GODFATHER or taken == FIRST_TOKEN + LOYAL
                or taken == FIRST_TOKEN + CLEANER
            )
        if is_agent(world.takes[accused]):
            return accused == driven
        if not diamonds_of(world.takes[accused]):
            if jokers == 0:
                return driven != GODFATHER and (
                    taken == NOTHING or taken == most and left & bit(driven) != 0
                )
            jokers -= 1
        left &= ~bit(accused)
        p.his.take[accused] = world.takes[accused]
    return -1


cdef int short_list(const Speech* p, int* out) noexcept nogil:
    """The stories of the best effect so far."""
    cdef int i, j, n = 0
    for i in range(p.stories.n):
        j = n
        while j > 0 and p.effect[out[j - 1]] < p.effect[i]:
            if j < SHORT_LIST:
                out[j] = out[j - 1]
            j -= 1
        if j < SHORT_LIST:
            out[j] = i
            n = min(n + 1, SHORT_LIST)
    return n


cdef void try_best(Speech* p, int told, const Budget* budget, Rng* rng) noexcept nogil:
    """Let the best stories decide trials; an iteration is one world with a trial for each."""
    cdef State world
    cdef int[SHORT_LIST] listed
    cdef int[SHORT_LIST] won
    cdef int[SHORT_LIST] wins
    cdef int i, n = short_list(p, listed), trials = 0
    memset(won, 0, sizeof(won))
    while n > 1 and trials < MOST_TRIALS:
        imagine(p, &world, rng)
        for i in range(n):
            wins[i] = try_story(p, &world, &p.stories.story[listed[i]], budget, told + trials)
            if wins[i] < 0:
                break
        else:
            # A world that the budget cuts short would favour the stories that come first.
            trials += 1
            for i in range(n):
                won[i] += wins[i]
            continue
        break
    if trials:
        for i in range(n):
            p.effect[listed[i]] += VERDICT * won[i] / trials


cdef bint hear_all(
    Speech* p, int told, const Budget* budget, double* effect, double* accused
) noexcept nogil:
    """What one Godfather thinks of every story; False if the budget ends before the last one.

    If it ends before the first of them has heard all, those that he has heard are all there are.
    """
    cdef int i
    for i in range(p.stories.n):
        if (told or i) and spent(budget, told) != STILL_RUNNING:
            p.stories.n = p.stories.n if told else i
            return told == 0
        effect[i] = (1.0 - VERDICT) * tell(p, &p.stories.story[i], &accused[i])
    return True


cdef void rehearse(Speech* p, const Budget* budget, Rng* rng) noexcept nogil:
    """Judge the stories; an iteration is one Godfather who hears them all, one at least."""
    cdef State world
    cdef double[MOST_STORIES] effect
    cdef double[MOST_STORIES] accused
    cdef int i, told = 0
    memset(p.effect, 0, sizeof(p.effect))
    memset(p.accused, 0, sizeof(p.accused))
    enter_mind(&p.his, p.s, GODFATHER)
    while told < MOST_MINDS:
        imagine(p, &world, rng)
        look_forward(&p.his, p.seat)
        look_back(&p.his, p.seat + 1)
        if not hear_all(p, told, budget, effect, accused):
            break
        told += 1
        for i in range(p.stories.n):
            p.effect[i] += (effect[i] - p.effect[i]) / told
            p.accused[i] += (accused[i] - p.accused[i]) / told
    try_best(p, told, budget, rng)


cdef int choose_story(const Speech* p, Rng* rng) noexcept nogil:
    """A lot among the best, or -1 if there is none."""
    cdef double best = -2.0
    cdef int i, near = 0
    for i in range(p.stories.n):
        best = max(best, p.effect[i])
    for i in range(p.stories.n):
        near += p.effect[i] > best - NEAR
    if near:
        near = <int>rng_below(rng, near)
    for i in range(p.stories.n):
        if p.effect[i] > best - NEAR:
            if near == 0:
                return i
            near -= 1
    return -1


cdef void expect_speech(const Speech* p, double accused, Ending* ending) noexcept nogil:
    """How the game may end for a seat that the Godfather is so ready to accuse."""
    expect(0.5, ERRS_ON_AGENT, ending)
    if diamonds_of(p.taken):
        expect(accused, ERRS_ON_AGENT, ending)
    elif is_agent(p.taken):
        expect((1.0 - accused) * 0.5, 1.0, ending)
        ending.agent = accused
        ending.out = 1.0 - ending.godfather - accused
    elif p.taken == NOTHING:
        expect((1.0 - accused) * 0.5, ERRS_ON_AGENT * (1.0 - accused), ending)


cdef int next_question(const Speech* p) noexcept nogil:
    """What to speak of unasked: of the take first, and of nothing twice if that can be helped."""
    cdef int question
    for question in range(ASKABLE - 1, -1, -1):
        if p.own.words[p.seat].said[question] == UNKNOWN:
            return question
    return TOOK


cdef void say(
    const Speech* p, int chosen, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """Weigh what can be said by the best story that it is part of."""
    cdef Ending ending
    cdef int claim, question, told, i
    cdef int due = next_question(p)
    cdef double best, accused
    cdef uint32_t move
    if p.s.phase == ANSWER:
        due = (p.s.event[p.s.events - 1] >> 6) - NOT_YET
    for move in range(n):
        accused = 0.5
        if moves[move] == SILENT:
            # With no story left, and nothing to repeat, the less said the better.
            weights[move] = 0.5 if chosen >= 0 else 2.0
        else:
            claim = <int>moves[move] - FIRST_SAY
            question = question_of(claim)
            claim -= first_claim(question)
            best = -2.0
            for i in range(p.stories.n):
                if p.stories.story[i].says[question] == claim and p.effect[i] > best:
                    best = p.effect[i]
                    accused = p.accused[i]
            told = p.own.words[p.seat].said[question]
            if best > -2.0:
                weights[move] = 2.0 + best if question == due else 1.0 + 0.5 * best
                if question == due and p.stories.story[chosen].says[question] == claim:
                    weights[move] = 4.0
            elif chosen < 0 and told == claim:
                weights[move] = 3.0
        expect_speech(p, accused, &ending)
        foresee(p.s, &p.own, &ending, values + move * p.s.seats)


cdef void speak(
    const State* s, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef Speech p
    p.s = s
    p.seat = seat
    p.taken = s.takes[seat]
    enter_mind(&p.own, s, seat)
    infer(&p.own, goes_on_without(s, seat))
    make_stories(s, seat, &p.own, is_agent(p.taken) or p.taken == NOTHING, &p.stories)
    if is_frank(&p):
        keep_truth(&p)
    rehearse(&p, budget, rng)
    say(&p, choose_story(&p, rng), moves, n, weights, values)


# ---- The cleaner ---------------------------------------------------------------------------------

cdef void react(
    const State* s, int seat, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """Fire at what is likely enough an agent; else the Godfather may still win for both."""
    cdef Mind m
    cdef Ending ending
    cdef double agent
    cdef uint32_t i
    enter_mind(&m, s, seat)
    infer(&m, goes_on_without(s, seat))
    agent = agent_chance(m.takes[s.target])
    for i in range(n):
        if moves[i] == BANG:
            weights[i] = agent
            expect(0.0, 0.0, &ending)
        else:
            weights[i] = (1.0 - agent) * 0.5
            expect((1.0 - agent) * 0.5, 0.0, &ending)
            ending.agent = agent
            ending.out = 1.0 - ending.godfather - agent
        foresee(s, &m, &ending, values + i * s.seats)
        if moves[i] == BANG:
            # Nobody else wins by it; what happens after a miss is the others' affair.
            values[i * s.seats + seat] = max(-1.0, min(1.0, 2.0 * agent - 1.0))


# ---- The theft -----------------------------------------------------------------------------------

cdef void finish(
    const State* s, const uint8_t* takes, double* won
) noexcept nogil:
    """The chance of every seat to win, once everybody has taken."""
    cdef double godfather = 1.0, agent = 0.0, out
    cdef int seat, most = 0, agents = 0
    for seat in range(1, s.seats):
        if diamonds_of(takes[seat]):
            godfather *= CATCH + CATCH_WITH_JOKER * s.jokers
            most = max(most, diamonds_of(takes[seat]))
        agents += is_agent(takes[seat])
    if agents:
        agent = (1.0 - godfather) * ERRS_ON_AGENT
    out = 1.0 - godfather - agent
    won[0] = godfather
    for seat in range(1, s.seats):
        if takes[seat] == FIRST_TOKEN + DRIVER:
            won[seat] = won[seat - 1]
        elif takes[seat] >= FIRST_TOKEN:
            won[seat] = agent / agents if is_agent(takes[seat]) else godfather
        else:
            won[seat] = out if takes[seat] == NOTHING or takes[seat] == most else 0.0


cdef void imagine_theft(
    const State* s, const Mind* m, int seat, move_t move, Rng* rng, double* won
) noexcept nogil:
    """Let the box go round once after a move of the theft."""
    cdef uint8_t[MAX_SEATS] takes
    cdef int kind, first = seat, box = m.kit.full * WIDTH + DIAMONDS
    if move < FIRST_POUCH:
        first = 1
        box -= <int>move - FIRST_HIDE
        kind = draw_one(m.pouch, KINDS + 1, rng)
        box -= worth[kind] if kind < NO_TOKEN else 0
    elif move < FIRST_TAKE:
        kind = <int>move - FIRST_POUCH
        box -= s.hidden + (worth[kind] if kind < NO_TOKEN else 0)
    else:
        box = draw_takes(m, 1, seat, draw_start(m, rng), True, takes, rng)
        takes[seat] = <uint8_t>(move - FIRST_TAKE)
        box -= worth[takes[seat] - FIRST_TOKEN] if takes[seat] >= FIRST_TOKEN else takes[seat]
        first = seat + 1
    draw_takes(m, first, s.seats, box, False, takes, rng)
    finish(s, takes, won)


cdef void steal(
    const State* s, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Moves of the theft by how often they win; then a lot among the near-equal."""
    cdef Mind m
    cdef double[MAX_SEATS] won
    cdef double[TAKES] lots
    cdef double best = 0.0
    cdef int other, done = 0
    cdef uint32_t i
    enter_mind(&m, s, seat)
    look_forward(&m, max(seat, 1))
    look_back(&m, 1)
    while done == 0 or done < MOST_ROUNDS and spent(budget, done) == STILL_RUNNING:
        done += 1
        for i in range(n):
            imagine_theft(s, &m, seat, moves[i], rng, won)
            for other in range(s.seats):
                values[i * s.seats + other] += (
                    2.0 * won[other] - 1.0 - values[i * s.seats + other]
                ) / done
    for i in range(n):
        weights[i] = 0.5 + 0.5 * values[i * s.seats + seat]
        best = max(best, weights[i])
    for i in range(n):
        lots[i] = max(0.0, weights[i] - best + TEMPTING)
    weights[draw_one(lots, <int>n, rng)] += 1.0


# ---- The slot ------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == REACT:
        react(s, seat, moves, n, weights, values)
    elif s.phase < INQUIRY:
        steal(s, seat, moves, n, budget, rng, weights, values)
    elif seat == GODFATHER:
        inquire(s, moves, n, weights, values)
    else:
        speak(s, seat, moves, n, budget, rng, weights, values)
    return SETTLED
