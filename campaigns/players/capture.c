/* Players of Contigo capture: greedy, hunting, and a paranoid alpha-beta over whole turns.
 *
 * All rate the positions after each of their turns: a move, a chain of captures and a sowing. They
 * differ in what they rate. The paranoid one also looks ahead, against three rivals as one. */

#include "contigo.h"

enum { SEATS = 4, WON = 20000, MOST_WIDTH = 64, MOST_CHAIN = 12, MOST_ROUTES = 512, FREE = -1 };

typedef struct {
    int8_t colour[SQUARES];             /* FREE, or the colour of the piece */
    int8_t king[SEATS];                 /* by colour: the square of its King, or NOWHERE */
    int8_t owner[SEATS];                /* by colour: the seat that controls it */
    int8_t beads[PITS];
    int8_t mover, quick;
} Board;

/* A move and its chain of captures: the squares where the piece lands. */
typedef struct {
    int8_t from, length;
    int8_t to[MOST_CHAIN];
} Route;

typedef struct {
    int32_t value;
    Route route;
    Sowing sowing;
} Turn;

/* What a style values: a piece of its own, one of a rival, a rival's King; an own piece that the next
 * seat can capture; the own King in such danger, from it or a later seat; captures that it threatens. */
typedef struct {
    int piece, rival_piece, rival_king;
    int piece_in_danger, king_in_danger, king_later, threat, king_threat;
} Style;

enum { GREEDY, HUNTER, PARANOID };
static const Style STYLES[] = {
    {100, -10, -50, 0, 0, 0, 0, 0},
    {100, -20, -2000, 10, 600, 100, 20, 400},
    {100, -40, -1000, 60, 3000, 500, 15, 120},
};

typedef struct {
    Clock clock;
    uint64_t chance;
    int me;
    const Style *style;
} Search;

static int controller(const Board *board, int square)
{
    int colour = board->colour[square];
    return colour == FREE ? NOWHERE : board->owner[colour];
}

static int pieces_of(const Board *board, int seat)
{
    int n = 0;
    for (int square = 0; square < SQUARES; square++)
        n += controller(board, square) == seat;
    return n;
}

/* The winner, or NOWHERE. A draw for equal quick games is not tested: play goes on. */
static int winner_of(const Board *board)
{
    int alive = 0, last = NOWHERE, other = NOWHERE;
    for (int seat = 0; seat < SEATS; seat++)
        if (board->king[seat] != NOWHERE) {
            alive++;
            other = last;
            last = seat;
        }
    if (alive == 1)
        return last;
    if (board->quick && alive == 2) {
        int one = pieces_of(board, last), two = pieces_of(board, other);
        return one > two ? last : two > one ? other : NOWHERE;
    }
    return NOWHERE;
}

/* Moves a piece, and captures what stands where it lands; returns whether it captured. */
static int move_piece(Board *board, int from, int to)
{
    int colour = board->colour[from], taken = board->colour[to], seat = board->owner[colour];
    board->colour[to] = (int8_t)colour;
    board->colour[from] = FREE;
    if (taken != FREE && board->king[taken] == to) {
        board->king[taken] = NOWHERE;
        for (int each = 0; each < SEATS; each++)
            if (board->owner[each] == taken)
                board->owner[each] = (int8_t)seat;
    }
    if (board->king[colour] == from)
        board->king[colour] = (int8_t)to;
    return taken != FREE;
}

typedef struct {
    int count;
    Route routes[MOST_ROUTES];
    Board after[MOST_ROUTES];
} Routes;

static void add_route(Routes *all, const Board *board, const Route *route)
{
    if (all->count < MOST_ROUTES) {
        all->routes[all->count] = *route;
        all->after[all->count++] = *board;
    }
}

/* Adds the route as it is, and with every further capture. */
static void go_on(Routes *all, const Board *board, const Route *route, int square)
{
    add_route(all, board, route);
    if (route->length == MOST_CHAIN || winner_of(board) != NOWHERE)
        return;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int to = landing(square, direction, board->beads[pit_of(square, direction)]);
        if (to == NOWHERE || board->colour[to] == FREE
            || controller(board, to) == controller(board, square))
            continue;
        Board after = *board;
        Route longer = *route;
        move_piece(&after, square, to);
        longer.to[longer.length++] = (int8_t)to;
        go_on(all, &after, &longer, to);
    }
}

static void list_routes(Routes *all, const Board *board)
{
    all->count = 0;
    for (int from = 0; from < SQUARES; from++) {
        if (controller(board, from) != board->mover)
            continue;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int to = landing(from, direction, board->beads[pit_of(from, direction)]);
            if (to == NOWHERE || controller(board, to) == board->mover)
                continue;
            Board after = *board;
            Route route = {(int8_t)from, 1, {(int8_t)to}};
            if (move_piece(&after, from, to))
                go_on(all, &after, &route, to);
            else
                add_route(all, &after, &route);
        }
    }
}

static int next_seat(const Board *board)
{
    int seat = board->mover;
    do
        seat = (seat + 1) % SEATS;
    while (board->king[seat] == NOWHERE);
    return seat;
}

/* The position for the searching seat, after the mover's turn. */
static int value_of(Search *search, const Board *board)
{
    const Style *style = search->style;
    int me = search->me, next = next_seat(board), winner = winner_of(board), value = 0;
    if (board->king[me] == NOWHERE)
        return -WON;
    if (winner != NOWHERE)
        return winner == me ? WON : -WON;
    for (int from = 0; from < SQUARES; from++) {
        int seat = controller(board, from);
        if (seat == NOWHERE)
            continue;
        value += seat == me ? style->piece : style->rival_piece;
        if (seat != me && board->king[board->colour[from]] == from)
            value += style->rival_king;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int to = landing(from, direction, board->beads[pit_of(from, direction)]);
            if (to == NOWHERE || board->colour[to] == FREE)
                continue;
            int other = controller(board, to), is_king = board->king[board->colour[to]] == to;
            if (seat == me && other != me)
                value += is_king ? style->king_threat : style->threat;
            else if (seat != me && other == me && is_king)
                value -= seat == next ? style->king_in_danger : style->king_later;
            else if (seat != me && other == me)
                value -= seat == next ? style->piece_in_danger : style->piece_in_danger / 4;
        }
    }
    return value;
}

typedef struct {
    int count, width;
    Turn turns[MOST_WIDTH];
} Best;

/* `sign` is 1 where the searching seat chooses, and -1 where its rivals do. */
static void insert(Best *best, const Turn *turn, int sign)
{
    int at = best->count;
    if (at == best->width) {
        if (sign * turn->value <= sign * best->turns[at - 1].value)
            return;
        at--;
    } else {
        best->count++;
    }
    for (; at > 0 && sign * best->turns[at - 1].value < sign * turn->value; at--)
        best->turns[at] = best->turns[at - 1];
    best->turns[at] = *turn;
}

typedef struct {
    Search *search;
    Board *board;
    Best *best;
    Turn turn;
    int sign;
} Rating;

static void rate(void *context, const Sowing *sowing)
{
    Rating *r = context;
    r->turn.value = value_of(r->search, r->board) + (int)(noise(&r->search->chance) & 3);
    r->turn.sowing = *sowing;
    insert(r->best, &r->turn, r->sign);
}

static void rate_sowings(
    Search *search, Board *board, const Route *route, int width, int sign, Best *all)
{
    Best best = {0, width, {{0}}};
    Rating r = {search, board, &best, {0}, sign};
    r.turn.route = *route;
    if (winner_of(board) != NOWHERE || board->king[search->me] == NOWHERE) {
        /* Nothing is sown then, or nothing matters any more. */
        r.turn.value = value_of(search, board);
        insert(all, &r.turn, sign);
        return;
    }
    each_sowing(board->beads, rate, &r);
    for (int i = 0; i < best.count; i++)
        insert(all, &best.turns[i], sign);
}

static void list_turns(
    Search *search, const Board *board, const Routes *routes, int width, Best *best)
{
    int sign = board->mover == search->me ? 1 : -1;
    int each = routes->count > 1 && width > 12 ? width / 3 : 4;
    best->count = 0;
    best->width = width;
    for (int i = 0; i < routes->count && !time_is_up(&search->clock); i++) {
        Board after = routes->after[i];
        rate_sowings(
            search, &after, &routes->routes[i], each < width ? each : width, sign, best);
    }
    if (routes->count == 0) {
        Board after = *board;
        Route none = {NOWHERE, 0, {0}};
        rate_sowings(search, &after, &none, width, sign, best);
    }
}

static void play(Board *board, const Turn *turn)
{
    int square = turn->route.from;
    for (int i = 0; i < turn->route.length; square = turn->route.to[i++])
        move_piece(board, square, turn->route.to[i]);
    if (turn->sowing.count)
        sow(board->beads, &turn->sowing);
    if (winner_of(board) == NOWHERE)
        board->mover = (int8_t)next_seat(board);
}

static int best_value(
    Search *search, const Board *board, int depth, int width, int alpha, int beta)
{
    static _Thread_local Routes routes;
    Best best;
    int own = board->mover == search->me, highest = own ? -WON : WON;
    list_routes(&routes, board);
    list_turns(search, board, &routes, width, &best);
    if (search->clock.over || best.count == 0)
        return 0;
    if (depth == 1)
        return best.turns[0].value;
    for (int i = 0; i < best.count && alpha < beta; i++) {
        int value = best.turns[i].value;
        if (value > -WON && value < WON) {
            Board after = *board;
            play(&after, &best.turns[i]);
            value = best_value(search, &after, depth - 1, width, alpha, beta);
        }
        if (search->clock.over)
            return 0;
        if (own) {
            highest = value > highest ? value : highest;
            alpha = value > alpha ? value : alpha;
        } else {
            highest = value < highest ? value : highest;
            beta = value < beta ? value : beta;
        }
    }
    return highest;
}

static Turn look_ahead(Search *search, const Board *board, Best *best)
{
    static const int8_t PASSES[][2] = {{2, 4}, {2, 12}, {3, 4}, {4, 4}, {3, 12}, {4, 8}, {5, 6}};
    Turn found = best->turns[0];
    for (int pass = 0; pass < (int)(sizeof PASSES / sizeof PASSES[0]); pass++) {
        int highest = -WON - 1, first = 0, last = 4 * PASSES[pass][1];
        for (int i = 0; i < best->count && i < last; i++) {
            Board after = *board;
            int value = best->turns[i].value;
            if (value > -WON && value < WON) {
                play(&after, &best->turns[i]);
                value = best_value(
                    search, &after, PASSES[pass][0] - 1, PASSES[pass][1], highest, WON);
            }
            if (search->clock.over)
                return found;
            if (value > highest) {
                highest = value;
                first = i;
                found = best->turns[i];
            }
        }
        memmove(&best->turns[1], &best->turns[0], (size_t)first * sizeof found);
        best->turns[0] = found;
    }
    return found;
}

/* Chooses the rest of a turn: of the whole turn (`chain` NOWHERE), after a capture by the piece on
 * `chain`, or the sowing alone. Writes the length of the route, its first squares, and the sowing. */
void choose_capture(
    const int8_t *colours, const int8_t *kings, const int8_t *owners, const int8_t *beads,
    int mover, int quick, int chain, int sowing, int style, double seconds, uint64_t seed,
    int8_t *chosen)
{
    static _Thread_local Routes routes;
    Search search = {{seconds_now() + 3600, 0}, seed, mover, &STYLES[style]};
    Board board;
    Best best;
    Turn turn;
    double end = seconds_now() + seconds;
    memcpy(board.colour, colours, SQUARES);
    memcpy(board.king, kings, SEATS);
    memcpy(board.owner, owners, SEATS);
    memcpy(board.beads, beads, PITS);
    board.mover = (int8_t)mover;
    board.quick = (int8_t)quick;
    routes.count = 0;
    if (chain != NOWHERE) {
        Route none = {(int8_t)chain, 0, {0}};
        go_on(&routes, &board, &none, chain);
    } else if (!sowing) {
        list_routes(&routes, &board);
    }
    list_turns(&search, &board, &routes, MOST_WIDTH, &best);
    search.clock.end = end;
    turn = style == PARANOID ? look_ahead(&search, &board, &best) : best.turns[0];
    chosen[0] = turn.route.from;
    chosen[1] = turn.route.length;
    chosen[2] = turn.route.length ? turn.route.to[0] : NOWHERE;
    chosen[3] = turn.sowing.pit;
    chosen[4] = turn.sowing.step;
    chosen[5] = turn.sowing.count;
    memcpy(chosen + 6, turn.sowing.split, MOST_BEADS);
}
