/* The list of a ring's sowings: a bit set of splits for each pit and direction, turned into numbers
 * eight candidates at a time. Most of the time of a random game is spent here.
 *
 * Nothing in it asks which bits are set. The beads of a ring are hard to foretell, and a branch
 * that goes wrong costs more than a few stores that the next ones overwrite. */
#ifndef TABLIER_CONTIGO_SOWINGS_H
#define TABLIER_CONTIGO_SOWINGS_H

#include <stdint.h>
#include <string.h>

enum {
    TABLIER_PITS = 28,
    TABLIER_PIT_LIMIT = 6,
    TABLIER_SPLITS = 637,
    TABLIER_SPLIT_WORDS = 10,   /* 64-bit words that hold one bit a split */
};

/* Filled once, at import. */
typedef struct {
    uint32_t positions[256][8]; /* for each byte, the positions of its set bits, ascending */
    uint8_t count[256];         /* and how many they are */
    /* By entry of a split and room in the pit it falls in: the splits that fit there. */
    uint64_t fitting[6][7][TABLIER_SPLIT_WORDS];
    /* By beads in the pit: the splits that take no more than these. */
    uint64_t available[7][TABLIER_SPLIT_WORDS];
} tablier_split_tables;

/* The function is compiled twice and the wider one taken where the processor has it. Sanitizers do
 * not start early enough for the choice. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__)
#define TABLIER_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TABLIER_WIDE
#endif
#define TABLIER_INLINE static inline __attribute__((always_inline))

typedef uint32_t tablier_lanes __attribute__((vector_size(32), aligned(4)));

/* Append base + i for every bit i that is set in the lowest bytes of `word`; scribbles on eight
 * entries past the end. */
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
 * leads to the next. `reach` is the most that this pit may hold; the splits of so many beads fill
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

/* Write the legal sowings of a ring as `first` + their number, ascending, and return how many. */
TABLIER_WIDE static uint32_t tablier_list_sowings(
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
#endif
