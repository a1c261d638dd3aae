/* Alpha-beta over whole turns of Contigo alignment, basic and advanced.
 *
 * A turn is a pawn move and a sowing: some 15,000 of them. Every node lists all turns, rates them
 * without looking further, and searches the best ones. Passes of growing depth and width repeat
 * until the time is up. */

#include "contigo.h"

enum { LINES = 14, WON = 10000, MOST_WIDTH = 96, MOST_PAWN_MOVES = 512, FEW = 4 };

typedef struct {
    uint64_t side[2];
    int8_t beads[PITS];
} Board;

typedef struct {
    int32_t value;
    int8_t from, corner, to;
    Sowing sowing;
} Turn;

typedef struct {
    Clock clock;
    uint64_t chance;
    int advanced;
} Search;

static int8_t line_squares[LINES][6];
/* By contents of a line in base 3 (0 free, 1 own, 2 other): own pawns in a row, others apart. */
static int8_t longest_run[729];
static const int RUN_VALUE[7] = {0, 0, 6, 30, 200, 200, 200};

__attribute__((constructor)) static void fill_tables(void)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            line_squares[i][j] = (int8_t)(6 * i + j);
            line_squares[6 + i][j] = (int8_t)(6 * j + i);
        }
        line_squares[12][i] = (int8_t)(7 * i);
        line_squares[13][i] = (int8_t)(5 * i + 5);
    }
    for (int code = 0; code < 729; code++) {
        int rest = code, run = 0, best = 0;
        for (int i = 0; i < 6; i++, rest /= 3) {
            run = rest % 3 == 1 ? run + 1 : rest % 3 == 2 ? 0 : run;
            best = run > best ? run : best;
        }
        longest_run[code] = (int8_t)best;
    }
}

static inline int run_of(uint64_t own, uint64_t other, int line)
{
    int code = 0;
    for (int i = 5; i >= 0; i--) {
        int square = line_squares[line][i];
        code = 3 * code + (own >> square & 1 ? 1 : other >> square & 1 ? 2 : 0);
    }
    return longest_run[code];
}

static int holds_line(uint64_t own, uint64_t other)
{
    for (int line = 0; line < LINES; line++)
        if (run_of(own, other, line) >= 4)
            return 1;
    return 0;
}

static int lines_value(uint64_t own, uint64_t other)
{
    int value = 0;
    for (int line = 0; line < LINES; line++)
        value += RUN_VALUE[run_of(own, other, line)];
    return value;
}

/* What a side's pawns can do, whatever the beads are: computed once for all sowings of a move. */
typedef struct {
    int pawns;
    int8_t at[SQUARES];
    /* By pawn: where it would complete a line. */
    uint64_t wins[SQUARES];
    uint64_t occupied;
} Reach;

static void find_reach(Reach *reach, uint64_t own, uint64_t other)
{
    reach->pawns = 0;
    reach->occupied = own | other;
    for (int square = 0; square < SQUARES; square++) {
        if (!(own >> square & 1))
            continue;
        uint64_t wins = 0, without = own & ~(1ULL << square);
        for (int to = 0; to < SQUARES; to++)
            if (!(reach->occupied >> to & 1) && holds_line(without | 1ULL << to, other))
                wins |= 1ULL << to;
        reach->at[reach->pawns] = (int8_t)square;
        reach->wins[reach->pawns++] = wins;
    }
}

/* Counts a side's pawn moves, and those that win. */
static int count_moves(const Reach *reach, const int8_t *beads, int advanced, int *wins)
{
    int moves = 0;
    *wins = 0;
    for (int pawn = 0; pawn < reach->pawns; pawn++) {
        int from = reach->at[pawn];
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int to = landing(from, direction, beads[pit_of(from, direction)]);
            if (to == NOWHERE || reach->occupied >> to & 1)
                continue;
            if (!advanced) {
                moves++;
                *wins += (int)(reach->wins[pawn] >> to & 1);
                continue;
            }
            for (int turn = 1; turn < DIRECTIONS; turn += 2) {
                int second = (direction + turn) % DIRECTIONS;
                int end = landing(to, second, beads[pit_of(to, second)]);
                if (end == NOWHERE || reach->occupied >> end & 1)
                    continue;
                moves++;
                *wins += (int)(reach->wins[pawn] >> end & 1);
            }
        }
    }
    return moves;
}

static int list_pawn_moves(const Board *board, int mover, int advanced, Turn *turns)
{
    uint64_t own = board->side[mover], occupied = own | board->side[1 - mover];
    int n = 0;
    for (int from = 0; from < SQUARES; from++) {
        if (!(own >> from & 1))
            continue;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int to = landing(from, direction, board->beads[pit_of(from, direction)]);
            if (to == NOWHERE || occupied >> to & 1)
                continue;
            if (!advanced) {
                turns[n++] = (Turn){.from = (int8_t)from, .corner = NOWHERE, .to = (int8_t)to};
                continue;
            }
            for (int turn = 1; turn < DIRECTIONS; turn += 2) {
                int second = (direction + turn) % DIRECTIONS;
                int end = landing(to, second, board->beads[pit_of(to, second)]);
                if (end != NOWHERE && !(occupied >> end & 1))
                    turns[n++] = (Turn){
                        .from = (int8_t)from, .corner = (int8_t)to, .to = (int8_t)end};
            }
        }
    }
    return n;
}

/* The best turns so far, best first. */
typedef struct {
    int count, width;
    Turn turns[MOST_WIDTH];
} Best;

static void insert(Best *best, const Turn *turn)
{
    int at = best->count;
    if (at == best->width) {
        if (turn->value <= best->turns[at - 1].value)
            return;
        at--;
    } else {
        best->count++;
    }
    for (; at > 0 && best->turns[at - 1].value < turn->value; at--)
        best->turns[at] = best->turns[at - 1];
    best->turns[at] = *turn;
}

/* Rates the sowings after one pawn move. */
typedef struct {
    Search *search;
    Board *board;
    Best *best;
    Turn turn;
    Reach own, other;
    int lines, other_holds;
} Rating;

static void rate(void *context, const Sowing *sowing)
{
    Rating *r = context;
    int wins, threats;
    int theirs = count_moves(&r->other, r->board->beads, r->search->advanced, &wins);
    int value;
    if (wins || (theirs == 0 && r->other_holds)) {
        value = -WON + 2;
    } else {
        int mine = count_moves(&r->own, r->board->beads, r->search->advanced, &threats);
        value = 4 * r->lines + 4 * mine - 4 * theirs + 120 * (threats > 3 ? 3 : threats)
            + (int)(noise(&r->search->chance) & 3);
    }
    r->turn.value = value;
    r->turn.sowing = *sowing;
    insert(r->best, &r->turn);
}

static void rate_sowings(
    Search *search, Board *board, int mover, const Turn *move, int width, Best *all)
{
    Rating r;
    Best best;
    uint64_t own = board->side[mover], other = board->side[1 - mover];
    r.search = search;
    r.board = board;
    r.best = &best;
    r.turn = *move;
    best.count = 0;
    best.width = width;
    find_reach(&r.own, own, other);
    find_reach(&r.other, other, own);
    r.lines = lines_value(own, other) - lines_value(other, own);
    r.other_holds = holds_line(other, own);
    each_sowing(board->beads, rate, &r);
    for (int i = 0; i < best.count; i++)
        insert(all, &best.turns[i]);
}

static void play(Board *board, int mover, const Turn *turn)
{
    if (turn->from != NOWHERE)
        board->side[mover] ^= 1ULL << turn->from | 1ULL << turn->to;
}

/* Lists the best turns by rating alone; returns whether a pawn move wins at once. */
static int list_turns(Search *search, const Board *board, int mover, int width, Best *best)
{
    Turn moves[MOST_PAWN_MOVES], none = {.from = NOWHERE, .corner = NOWHERE, .to = NOWHERE};
    int n = list_pawn_moves(board, mover, search->advanced, moves);
    /* Few sowings of each pawn move, or those of one would leave no room for the others. */
    int each = n > 1 && width / 3 > FEW ? width / 3 : FEW;
    best->count = 0;
    best->width = width;
    for (int i = 0; i < n; i++) {
        Board after = *board;
        play(&after, mover, &moves[i]);
        if (holds_line(after.side[mover], after.side[1 - mover])) {
            best->count = 1;
            best->turns[0] = moves[i];
            best->turns[0].value = WON;
            return 1;
        }
    }
    for (int i = 0; i < n && !time_is_up(&search->clock); i++) {
        Board after = *board;
        play(&after, mover, &moves[i]);
        rate_sowings(search, &after, mover, &moves[i], each < width ? each : width, best);
    }
    if (n == 0) {
        Board after = *board;
        rate_sowings(search, &after, mover, &none, width, best);
    }
    return 0;
}

static int nearer(int value)
{
    return value > WON / 2 ? value - 1 : value < -WON / 2 ? value + 1 : value;
}

static int best_value(
    Search *search, const Board *board, int mover, int depth, int width, int alpha, int beta)
{
    Best best;
    if (list_turns(search, board, mover, width, &best))
        return WON;
    if (time_is_up(&search->clock) || best.count == 0)
        return 0;
    if (depth == 1)
        return best.turns[0].value;
    int highest = -WON;
    for (int i = 0; i < best.count; i++) {
        Board after = *board;
        int value = best.turns[i].value;
        if (value > -WON / 2) {
            play(&after, mover, &best.turns[i]);
            sow(after.beads, &best.turns[i].sowing);
            value = nearer(-best_value(
                search, &after, 1 - mover, depth - 1, width, -beta, -alpha));
        }
        if (search->clock.over)
            return 0;
        highest = value > highest ? value : highest;
        alpha = value > alpha ? value : alpha;
        if (alpha >= beta)
            break;
    }
    return highest;
}

/* Writes from, corner, to (NOWHERE if only a sowing is due), pit, step, count and the split.
 * `sowing` is whether the pawn of this turn has already moved. Returns how many passes ended. */
int choose_alignment(
    uint64_t own, uint64_t other, const int8_t *beads, int advanced, int sowing, double seconds,
    uint64_t seed, int8_t *chosen)
{
    static const int8_t PASSES[][2] = {{2, 6}, {2, 16}, {3, 6}, {2, 48}, {3, 12}, {4, 6}, {3, 24},
                                       {4, 12}, {5, 6}, {3, 48}, {5, 12}, {6, 6}, {6, 12}};
    Search search = {{seconds_now() + seconds, 0}, seed, advanced};
    Board board = {{own, other}, {0}};
    Best best;
    int passes = 0;
    Turn found;
    memcpy(board.beads, beads, PITS);
    if (sowing) {
        Turn none = {.from = NOWHERE, .corner = NOWHERE, .to = NOWHERE};
        best.count = 0;
        best.width = MOST_WIDTH;
        rate_sowings(&search, &board, 0, &none, MOST_WIDTH, &best);
    } else {
        Clock clock = search.clock;
        /* The first list is always complete. */
        search.clock.end += 3600;
        list_turns(&search, &board, 0, MOST_WIDTH, &best);
        search.clock = clock;
    }
    found = best.turns[0];
    for (int pass = 0; pass < (int)(sizeof PASSES / sizeof PASSES[0]); pass++) {
        int depth = PASSES[pass][0], width = PASSES[pass][1], alpha = -WON, first = 0;
        if (best.turns[0].value > WON / 2 || best.count < 2 || time_is_up(&search.clock))
            break;
        /* The root is wider: its turns have been listed anyway. */
        for (int i = 0; i < best.count && i < 4 * width; i++) {
            Board after = board;
            Turn *turn = &best.turns[i];
            if (turn->value <= -WON + 2)
                continue;
            play(&after, 0, turn);
            sow(after.beads, &turn->sowing);
            int value = nearer(-best_value(
                &search, &after, 1, depth - 1, width, -WON, -alpha));
            if (search.clock.over)
                break;
            turn->value = value;
            if (value > alpha) {
                alpha = value;
                first = i;
            }
            found = best.turns[first];
        }
        if (search.clock.over)
            break;
        passes++;
        /* The best turn first; others by value, which is only a bound. */
        memmove(&best.turns[1], &best.turns[0], (size_t)first * sizeof found);
        best.turns[0] = found;
        for (int i = 2; i < best.count && i < 4 * width; i++) {
            Turn turn = best.turns[i];
            int at = i;
            for (; at > 1 && best.turns[at - 1].value < turn.value; at--)
                best.turns[at] = best.turns[at - 1];
            best.turns[at] = turn;
        }
    }
    chosen[0] = found.from;
    chosen[1] = found.corner;
    chosen[2] = found.to;
    chosen[3] = found.sowing.pit;
    chosen[4] = found.sowing.step;
    chosen[5] = found.sowing.count;
    memcpy(chosen + 6, found.sowing.split, MOST_BEADS);
    return passes;
}
