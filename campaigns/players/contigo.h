/* The board, the pits and sowing of Contigo, for searches over whole turns.
 *
 * Written from the rules page, without the core: opponents stay the same when the core changes.
 * Squares are file + 6 * (rank - 1); directions are north, east, south, west. */

#include <stdint.h>
#include <string.h>
#include <time.h>

enum { SQUARES = 36, PITS = 28, MOST_BEADS = 6, DIRECTIONS = 4, NOWHERE = -1 };

typedef struct {
    int8_t pit, step, count;
    int8_t split[MOST_BEADS];
} Sowing;

static const int STEP[DIRECTIONS] = {6, 1, -6, -1};

/* The pit that ends a square's line in a direction. */
static inline int pit_of(int square, int direction)
{
    int file = square % 6, rank = square / 6;
    switch (direction) {
    case 0: return 1 + file;
    case 1: return 13 - rank;
    case 2: return 20 - file;
    default: return 22 + rank;
    }
}

/* Where a piece lands if it goes so far; NOWHERE if that leaves the board. */
static inline int landing(int square, int direction, int distance)
{
    int file = square % 6, rank = square / 6;
    int room = direction == 0 ? 5 - rank : direction == 1 ? 5 - file : direction == 2 ? rank : file;
    return distance == 0 || distance > room ? NOWHERE : square + distance * STEP[direction];
}

static inline int pit_after(int pit, int steps)
{
    return ((pit + steps) % PITS + PITS) % PITS;
}

/* Calls `found` for every sowing, with the beads as they are after it. */
typedef void (*Found)(void *context, const Sowing *sowing);

static void spread(int8_t *beads, Sowing *sowing, int at, int left, Found found, void *context)
{
    int pit = pit_after(sowing->pit, sowing->step * (at + 1)), most;
    if (at == sowing->count - 1) {
        if (beads[pit] + left > MOST_BEADS)
            return;
        sowing->split[at] = (int8_t)left;
        beads[pit] += left;
        found(context, sowing);
        beads[pit] -= left;
        return;
    }
    most = MOST_BEADS - beads[pit] < left ? MOST_BEADS - beads[pit] : left;
    for (int drop = 0; drop <= most; drop++) {
        sowing->split[at] = (int8_t)drop;
        beads[pit] += drop;
        spread(beads, sowing, at + 1, left - drop, found, context);
        beads[pit] -= drop;
    }
}

static void each_sowing(int8_t *beads, Found found, void *context)
{
    Sowing sowing;
    memset(&sowing, 0, sizeof sowing);
    for (int pit = 0; pit < PITS; pit++) {
        int content = beads[pit];
        for (int count = 1; count <= content; count++)
            for (int step = -1; step <= 1; step += 2) {
                sowing.pit = (int8_t)pit;
                sowing.step = (int8_t)step;
                sowing.count = (int8_t)count;
                beads[pit] -= count;
                spread(beads, &sowing, 0, count, found, context);
                beads[pit] += count;
            }
    }
}

static void sow(int8_t *beads, const Sowing *sowing)
{
    beads[sowing->pit] -= sowing->count;
    for (int i = 0; i < sowing->count; i++)
        beads[pit_after(sowing->pit, sowing->step * (i + 1))] += sowing->split[i];
}

/* The time of a search. */
typedef struct {
    double end;
    int over;
} Clock;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int time_is_up(Clock *clock)
{
    if (!clock->over && seconds_now() >= clock->end)
        clock->over = 1;
    return clock->over;
}

/* A small hash of random bits, so that equal turns are chosen at random. */
static inline uint32_t noise(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*state >> 40);
}
