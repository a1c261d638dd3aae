"""How well each story would serve a speaker, found by imagining the Godfather who hears it.

The speaker draws how the box may have gone round and what the others will have said in the end, and
lets the Godfather who knows this judge each story. Thieves prefer the story after which he is least
ready to accuse them; agents and street kids, the one after which he is most ready; drivers look at
their passenger in the same way. The best stories are then tried in further worlds, in which he
accuses until the game ends. (reference: Engine)
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memset

from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.mafia_de_cuba.engine.estimate cimport agent_chance, readiness
from tablier_core.games.mafia_de_cuba.engine.inference cimport (
    draw_start, draw_takes, infer, init_mind, look_back, look_forward, step_back,
)
from tablier_core.games.mafia_de_cuba.engine.stories cimport (
    MOST_STORIES, Stories, Story, make_stories, tell_truth,
)
from tablier_core.games.mafia_de_cuba.engine.testimony cimport (
    BOXES, HONESTY, UNKNOWN, WIDTH, Likelihood, Testimony, holds, prepare_likelihood,
)
from tablier_core.games.mafia_de_cuba.state cimport (
    ASKABLE, CLEANER, DIAMONDS, DRIVER, FIRST_TOKEN, GODFATHER, KINDS, LOYAL, NO_TOKEN, NOTHING,
    TAKES, State, bit, diamonds_of, is_agent,
)
from tablier_core.rng cimport Rng, rng_below, rng_unit

cdef enum:
    MOST_MINDS = 6                      # imagined Godfathers that judge all stories
    SHORT_LIST = 6                      # stories that are tried in whole games
    MOST_TRIALS = 12                    # worlds in which they are tried

# How much the result of the trials counts, compared with the Godfather's judgement.
cdef double VERDICT = 0.7


# ---- Imagining the Godfather ---------------------------------------------------------------------

cdef void draw_theft(Speech* p, State* world, Rng* rng) noexcept nogil:
    """Draw how the box went round, by everything that the speaker knows and has heard."""
    cdef int box = draw_start(&p.own, rng), kind
    world.hidden = <uint8_t>(DIAMONDS - box % WIDTH)
    world.pouch = NO_TOKEN
    for kind in range(KINDS):
        if holds[box // WIDTH][kind] < holds[p.own.kit.full][kind]:
            world.pouch = <uint8_t>kind
    p.his.fewest_hidden = p.his.most_hidden = world.hidden
    p.his.box[world.seats] = draw_takes(&p.own, 1, world.seats, box, True, world.takes, rng)


cdef void imagine_words(Speech* p, const State* world, int other, Rng* rng) noexcept nogil:
    """Let another seat answer all open questions about itself, with the truth or a story."""
    cdef Stories stories
    cdef Story truth
    cdef Testimony* words = &p.his.words[other]
    cdef int question, chosen = 0, agreeing = 0
    words[0] = p.own.words[other]
    make_stories(world, other, &p.own, False, &stories)
    if stories.n == 0 or not world.in_play & bit(other):
        return
    tell_truth(world, other, &truth)
    for question in range(ASKABLE):
        agreeing += stories.story[0].says[question] == truth.says[question]
    if agreeing < ASKABLE or stories.n > 1 and rng_unit(rng) >= HONESTY[world.takes[other]]:
        chosen = stories.n - 1 - <int>rng_below(rng, max(1, stories.n - (agreeing == ASKABLE)))
    for question in range(ASKABLE):
        words.said[question] = stories.story[chosen].says[question]
        words.times[question] = max(1, words.times[question])


cdef void imagine(Speech* p, State* world, Rng* rng) noexcept nogil:
    """Draw a world, and everything that the Godfather will have heard from the other seats."""
    cdef int other
    world[0] = p.s[0]
    draw_theft(p, world, rng)
    for other in range(1, world.seats):
        if other != p.seat:
            imagine_words(p, world, other, rng)


cdef void complete(const Speech* p, const Story* story, Testimony* words) noexcept nogil:
    """The speaker's testimony once it has told the whole story."""
    cdef int question
    words[0] = p.own.words[p.seat]
    for question in range(ASKABLE):
        words.said[question] = story.says[question]
        words.times[question] = max(1, words.times[question])


cdef double judge(Speech* p, const Story* story, double* accused) noexcept nogil:
    """How a story serves the speaker, by what the Godfather thinks once he has heard all of it."""
    cdef Likelihood heard
    cdef Testimony words
    cdef double[BOXES] message
    cdef double[BOXES] further
    cdef double[TAKES] takes
    cdef double total, hope
    cdef int passenger = p.seat - 1, taken
    complete(p, story, &words)
    memset(takes, 0, sizeof(takes))
    prepare_likelihood(&heard, &p.his.kit, &words, p.seat, p.seat == p.s.seats - 1)
    total = step_back(
        &p.his, p.seat, &heard, p.his.backward[p.seat + 1], message, p.his.forward[p.seat], takes
    )
    for taken in range(TAKES):
        takes[taken] /= total
    accused[0] = readiness(takes, p.s.jokers_left)
    if p.taken != FIRST_TOKEN + DRIVER:
        # Thieves avoid accusations; agents and street kids want to be accused.
        return -accused[0] if diamonds_of(p.taken) else accused[0]
    # A driver wants an agent as its passenger to be accused, and any other passenger not to be.
    memset(takes, 0, sizeof(takes))
    prepare_likelihood(&heard, &p.his.kit, &p.his.words[passenger], passenger, False)
    total = step_back(
        &p.his, passenger, &heard, message, further, p.his.forward[passenger], takes
    )
    for taken in range(TAKES):
        takes[taken] /= total
    hope = 2.0 * agent_chance(p.own.takes[passenger]) - 1.0
    return hope * readiness(takes, p.s.jokers_left)


# ---- Trials --------------------------------------------------------------------------------------

cdef int try_story(
    Speech* p, const State* world, const Story* story, const Budget* budget, int done
) noexcept nogil:
    """Let the Godfather hear a story and accuse until the game ends, in a world drawn before.

    Returns 1 if the speaker wins, 0 if not, -1 if the budget ends first.
    """
    cdef uint16_t left = world.in_play & ~world.revealed & ~bit(GODFATHER)
    cdef int seat, accused, taken, most, jokers = world.jokers_left, driven = p.seat
    complete(p, story, &p.his.words[p.seat])
    for seat in range(1, world.seats):
        p.his.take[seat] = world.takes[seat] if world.revealed & bit(seat) else UNKNOWN
    # A driver wins with its passenger, who may be a driver too.
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
    """List the stories with the best effect so far."""
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


cdef void try_best(Speech* p, int rounds, const Budget* budget, Rng* rng) noexcept nogil:
    """Try the best stories in whole games; an iteration is one world with a trial per story."""
    cdef State world
    cdef int[SHORT_LIST] listed
    cdef int[SHORT_LIST] won
    cdef int[SHORT_LIST] wins
    cdef int i, n = short_list(p, listed), trials = 0
    memset(won, 0, sizeof(won))
    while n > 1 and trials < MOST_TRIALS:
        imagine(p, &world, rng)
        for i in range(n):
            wins[i] = try_story(p, &world, &p.stories.story[listed[i]], budget, rounds + trials)
            if wins[i] < 0:
                break
        else:
            # Only complete worlds count: others would favour the first stories.
            trials += 1
            for i in range(n):
                won[i] += wins[i]
            continue
        break
    if trials:
        for i in range(n):
            p.effect[listed[i]] += VERDICT * won[i] / trials


# ---- The rehearsal -------------------------------------------------------------------------------

cdef bint judge_all(
    Speech* p, int rounds, const Budget* budget, double* effect, double* accused
) noexcept nogil:
    """Judge every story by one imagined Godfather; False if the budget ends before the last one.

    If the budget ends during the first round, the stories that were not judged are dropped.
    """
    cdef int i
    for i in range(p.stories.n):
        if (rounds or i) and spent(budget, rounds) != STILL_RUNNING:
            p.stories.n = p.stories.n if rounds else i
            return rounds == 0
        effect[i] = (1.0 - VERDICT) * judge(p, &p.stories.story[i], &accused[i])
    return True


cdef void rehearse(Speech* p, const Budget* budget, Rng* rng) noexcept nogil:
    """Judge all stories; an iteration is one imagined Godfather, and there is at least one."""
    cdef State world
    cdef double[MOST_STORIES] effect
    cdef double[MOST_STORIES] accused
    cdef int i, rounds = 0
    memset(p.effect, 0, sizeof(p.effect))
    memset(p.accused, 0, sizeof(p.accused))
    init_mind(&p.his, p.s, GODFATHER)
    while rounds < MOST_MINDS:
        imagine(p, &world, rng)
        look_forward(&p.his, p.seat)
        look_back(&p.his, p.seat + 1)
        if not judge_all(p, rounds, budget, effect, accused):
            break
        rounds += 1
        for i in range(p.stories.n):
            p.effect[i] += (effect[i] - p.effect[i]) / rounds
            p.accused[i] += (accused[i] - p.accused[i]) / rounds
    try_best(p, rounds, budget, rng)
