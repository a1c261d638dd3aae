/* Lists the sowings of a ring: for each pit and direction a set of splits, one bit per split, which
 * is then turned into numbers, eight candidates at a time.
 *
 * This one function is C because random games spend most of their time here. Cython can neither
 * use vector types nor compile a function for two kinds of processor: with the same loops written
 * in Cython, random games took 15 to 29 % longer (GCC 12, x86-64 with AVX2).
 *
 * No branch depends on which bits are set. The beads of a ring are hard to predict, and a
 * mispredicted branch costs more than a few stores that the next ones overwrite. */
#include "sowings.h"

#include <string.h>

/* GCC compiles the function twice and picks the wider version where the processor has AVX2.
 * Sanitizers, and the coverage of the fuzz build, start too late for that choice. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(TABLIER_TRACED)
#define TABLIER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TABLIER_WIDE
#endif
#define TABLIER_INLINE static inline __attribute__((always_inline))

typedef uint32_t tablier_lanes __attribute__((vector_size(32), aligned(4)));

/* Append base + i for every set bit i in the lowest bytes of `word`. Overwrites up to eight entries
 * behind the end. */
TABLIER_INLINE uint32_t *tablier_expand(
    const tablier_split_tables *tables, uint64_t word, int bytes, uint32_t base, uint32_t *out)
{
    for (int i = 0; i < bytes; i++) {
        const unsigned byte = (word >> (8 * i)) & 255;
        tablier_lanes lanes;
        memcpy(&lanes, tables->positions[byte], sizeof lanes);
        lanes += base + 8 * i;
        memcpy(out, &lanes, sizeof lanes);
        out += tables->count[byte];
    }
    return out;
}

/* Append the sowings of one pit in one direction. `room` points at the nearest pit ahead and `step`
 * leads to the next. `reach` is the most beads that this pit may hold; the splits of that many fill
 * `bytes` bytes of each of `words` words. These three are constants, so that the loops unroll. An
 * entry that a split does not have is 0 and fits anywhere. */
TABLIER_INLINE uint32_t *tablier_list_from_pit(
    const tablier_split_tables *tables, const uint8_t *room, int step, int held,
    int reach, int words, int bytes, uint32_t base, uint32_t *out)
{
    uint64_t fit[TABLIER_SPLIT_WORDS];
    for (int w = 0; w < words; w++)
        fit[w] = tables->available[held][w];
    for (int i = 0; i < reach; i++) {
        const uint64_t *mask = tables->fitting[i][room[i * step]];
        for (int w = 0; w < words; w++)
            fit[w] &= mask[w];
    }
    for (int w = 0; w < words; w++)
        out = tablier_expand(tables, fit[w], bytes, base + 64 * w, out);
    return out;
}

TABLIER_WIDE uint32_t tablier_list_sowings(
    const tablier_split_tables *tables, const uint8_t *beads, uint32_t first, uint32_t *out)
{
    /* The room in each pit, with six pits repeated at both ends. */
    uint8_t ring[TABLIER_PITS + 12];
    uint32_t *end = out;
    for (int pit = 0; pit < TABLIER_PITS; pit++)
        ring[6 + pit] = TABLIER_PIT_LIMIT - beads[pit];
    memcpy(ring, ring + TABLIER_PITS, 6);
    memcpy(ring + 6 + TABLIER_PITS, ring + 6, 6);
    for (int pit = 0; pit < TABLIER_PITS; pit++) {
        const uint8_t *ahead = ring + pit + 7, *behind = ring + pit + 5;
        const uint32_t clockwise = first + 2 * TABLIER_SPLITS * pit;
        const uint32_t anticlockwise = clockwise + TABLIER_SPLITS;
        const int held = beads[pit];
#define TABLIER_BOTH_WAYS(reach, words, bytes) \
    end = tablier_list_from_pit(tables, ahead, 1, held, reach, words, bytes, clockwise, end); \
    end = tablier_list_from_pit(tables, behind, -1, held, reach, words, bytes, anticlockwise, end)
        /* 14 splits of up to 3 beads, 49 of up to 4, 175 of up to 5, 637 of up to 6. */
        if (held <= 3) {
            TABLIER_BOTH_WAYS(3, 1, 2);
        } else if (held == 4) {
            TABLIER_BOTH_WAYS(4, 1, 7);
        } else if (held == 5) {
            TABLIER_BOTH_WAYS(5, 3, 8);
        } else {
            TABLIER_BOTH_WAYS(6, 10, 8);
        }
#undef TABLIER_BOTH_WAYS
    }
    return (uint32_t)(end - out);
}
