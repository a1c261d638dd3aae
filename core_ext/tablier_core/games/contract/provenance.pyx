"""Where the other seats' cards came from, after discards have become the draw pile.

The viewer knows part of what was shuffled, the kinds of the cards that others play face up, and how
many cards each seat has drawn. It does not see which of a seat's cards were drawn from the pile and
which are older. `trace` guesses that from the numbers alone. Where the guess contradicts the known
kinds, it is repaired along shortest paths of a small flow network.

A unit of flow is one card of another seat that came from the pile. Kinds bound the flow on one
side: only so many cards of a kind can have been in the pile. The numbers that a seat drew, before
the current round and in it, bound the flow on the other side.
"""

from libc.string cimport memset

from tablier_core.games.contract.state cimport CARDS, KINDS, Shuffle, kind_total, sum_kinds
from tablier_core.rng cimport Rng, rng_below

# Nodes of the network.
cdef enum:
    GROUND = 0
    SPARE = 1                   # cards of the pile whose kind the viewer never saw
    KIND = 2                    # + kind
    OLD = 7                     # + 3 x seat: cards discarded before the round of the last draws
    NOW = 8                     # + 3 x seat: cards held since
    DRAWN = 9                   # + 3 x seat: all cards drawn from the pile
    NODES = 22
    MOST_ARCS = 90
    UNBOUNDED = CARDS

cdef struct Arc:
    int tail
    int head
    int low
    int high
    int flow

cdef struct Network:
    int count
    Arc arcs[MOST_ARCS]

# ---- The network ---------------------------------------------------------------------------------

cdef void add_arc(Network* net, int tail, int head, int low, int high, int flow) noexcept nogil:
    net.arcs[net.count] = Arc(tail, head, low, high, flow)
    net.count += 1


cdef bint push(Network* net, int start, int goal) noexcept nogil:
    """Send one unit along a shortest path within all bounds; False if there is none."""
    cdef int via[NODES]                 # the arc that reached a node, + 1; negative: backwards
    cdef int queue[NODES]
    cdef int first = 0, last = 1, node, i
    cdef Arc* arc
    memset(via, 0, sizeof(via))
    via[start] = net.count + 1          # reached, but by no arc
    queue[0] = start
    while first < last and not via[goal]:
        node = queue[first]
        first += 1
        for i in range(net.count):
            arc = &net.arcs[i]
            if arc.tail == node and arc.flow < arc.high and not via[arc.head]:
                via[arc.head] = i + 1
                queue[last] = arc.head
                last += 1
            elif arc.head == node and arc.flow > arc.low and not via[arc.tail]:
                via[arc.tail] = -i - 1
                queue[last] = arc.tail
                last += 1
    if not via[goal]:
        return False
    node = goal
    while node != start:
        if via[node] > 0:
            arc = &net.arcs[via[node] - 1]
            arc.flow += 1
            node = arc.tail
        else:
            arc = &net.arcs[-via[node] - 1]
            arc.flow -= 1
            node = arc.head
    return True


cdef bint repair(Network* net) noexcept nogil:
    """Bring every flow within its bounds; False if that is impossible."""
    cdef int i
    cdef Arc* arc
    for i in range(net.count):
        arc = &net.arcs[i]
        # The path cannot run through the arc itself, whose flow is already out of bounds.
        while arc.flow < arc.low and push(net, arc.head, arc.tail):
            arc.flow += 1
        while arc.flow > arc.high and push(net, arc.tail, arc.head):
            arc.flow -= 1
        if not arc.low <= arc.flow <= arc.high:
            return False
    return True


# ---- The first guess -----------------------------------------------------------------------------

cdef int guess(int cards, int* left, int* of_pile, Rng* rng) noexcept nogil:
    cdef int _i, found = 0
    for _i in range(cards):
        if <int>rng_below(rng, left[0]) < of_pile[0]:
            found += 1
            of_pile[0] -= 1
        left[0] -= 1
    return found


cdef int guess_part(
    Network* net, int node, const int* kinds, int hidden, int* left, int* of_pile, int* by_kind,
    Rng* rng,
) noexcept nogil:
    """Guess which of some cards of a seat came from the pile, and return how many."""
    cdef int kind, found, all_found = 0
    for kind in range(KINDS):
        found = guess(kinds[kind], left, of_pile, rng)
        add_arc(net, KIND + kind, node, 0, kinds[kind], found)
        by_kind[kind] += found
        all_found += found
    found = guess(hidden, left, of_pile, rng)
    add_arc(net, GROUND, node, 0, hidden, found)
    return all_found + found


cdef void guess_seat(
    const Shuffle* shuffled, const Holdings* held, int seat, Network* net, int* by_kind, Rng* rng
) noexcept nogil:
    cdef int before = shuffled.drawn_before[seat], drawn = sum_kinds(shuffled.drawn[seat])
    cdef int gone = sum_counts(held.old[seat]) + held.old_hidden[seat]
    # The last draws came after the old cards were discarded.
    cdef int left = gone + sum_counts(held.now[seat]) + held.now_hidden[seat] - (drawn - before)
    cdef int of_pile = before, older = left - before, found
    found = guess_part(
        net, OLD + 3 * seat, held.old[seat], held.old_hidden[seat], &left, &of_pile, by_kind, rng
    )
    add_arc(net, OLD + 3 * seat, DRAWN + 3 * seat, max(0, gone - older), before, found)
    left += drawn - before
    of_pile += drawn - before
    found = guess_part(
        net, NOW + 3 * seat, held.now[seat], held.now_hidden[seat], &left, &of_pile, by_kind, rng
    )
    add_arc(net, NOW + 3 * seat, DRAWN + 3 * seat, 0, UNBOUNDED, found)
    add_arc(net, DRAWN + 3 * seat, GROUND, drawn, drawn, drawn)


# ---- The trace -----------------------------------------------------------------------------------

cdef void read_flows(const Network* net, Trace* found, int* by_kind) noexcept nogil:
    """Read off which cards came from the pile; `by_kind` counts those of known kind."""
    cdef int i
    cdef const Arc* arc
    for i in range(net.count):
        arc = &net.arcs[i]
        if KIND <= arc.tail < KIND + KINDS:
            found.drawn[(arc.head - OLD) // 3][arc.tail - KIND] += arc.flow
            by_kind[arc.tail - KIND] += arc.flow
        elif arc.tail == GROUND and arc.head >= OLD:
            if (arc.head - OLD) % 3 == 0:
                found.hidden_old[(arc.head - OLD) // 3] = arc.flow
            else:
                found.hidden_now[(arc.head - OLD) // 3] = arc.flow


cdef bint trace(
    const Shuffle* shuffled, const Holdings* held, int seats, int viewer, Rng* rng, Trace* found
) noexcept nogil:
    cdef Network net
    cdef int by_kind[KINDS]             # the others' cards of known kind that came from the pile
    cdef int known[KINDS]               # what the viewer saw go into it
    cdef int older[KINDS]               # cards of known kind that the viewer did not draw from it
    cdef int spare = 0, room = 0, seat, kind, i
    net.count = 0
    memset(by_kind, 0, sizeof(by_kind))
    for kind in range(KINDS):
        known[kind] = shuffled.down[viewer][kind]
        older[kind] = -shuffled.drawn[viewer][kind]
        for seat in range(seats):
            known[kind] += shuffled.up[seat][kind]
            older[kind] += held.old[seat][kind] + held.now[seat][kind]
    for seat in range(seats):
        if seat != viewer:
            guess_seat(shuffled, held, seat, &net, by_kind, rng)
            spare += sum_kinds(shuffled.down[seat])
    for kind in range(KINDS):
        # At least so many cards of a kind came from the pile that the rest can be older. Up to `i`
        # of them are cards that the viewer saw go in; any more went in unseen.
        i = known[kind] - shuffled.drawn[viewer][kind]
        spare += min(i, 0)
        i = max(i, 0)
        add_arc(
            &net, GROUND, KIND + kind, max(0, known[kind] + older[kind] - kind_total(kind)), i,
            min(by_kind[kind], i),
        )
        add_arc(&net, SPARE, KIND + kind, 0, UNBOUNDED, max(0, by_kind[kind] - i))
        room += max(0, by_kind[kind] - i)
    add_arc(&net, GROUND, SPARE, 0, spare, room)
    if not repair(&net):
        return False
    memset(found, 0, sizeof(Trace))
    memset(by_kind, 0, sizeof(by_kind))
    read_flows(&net, found, by_kind)
    for kind in range(KINDS):
        i = known[kind] - shuffled.drawn[viewer][kind] - by_kind[kind]
        found.required[kind] = max(0, i)
        found.excess[kind] = max(0, -i)
    return True
