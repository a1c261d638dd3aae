/* The inner loop of `list_sowings` in sowing.pyx; sowings.c says why it is written in C. */
#ifndef TABLIER_CONTIGO_SOWINGS_H
#define TABLIER_CONTIGO_SOWINGS_H

#include <stdint.h>

enum {
    TABLIER_PITS = 28,
    TABLIER_PIT_LIMIT = 6,
    TABLIER_SPLITS = 637,
    TABLIER_SPLIT_WORDS = 10,   /* 64-bit words in a set of splits, one bit per split */
};

/* sowing.pyx fills these at import. */
typedef struct {
    uint32_t positions[256][8]; /* for each byte, the positions of its set bits, ascending */
    uint8_t count[256];         /* and how many there are */
    /* By entry of a split and room in the pit that it falls into: the splits that fit there. */
    uint64_t fitting[6][7][TABLIER_SPLIT_WORDS];
    /* By beads in the pit: the splits that take no more than these. */
    uint64_t available[7][TABLIER_SPLIT_WORDS];
} tablier_split_tables;

/* Write the legal sowings of a ring as `first` + their number, ascending, and return how many there
 * are. Up to eight entries behind the last one are overwritten. */
uint32_t tablier_list_sowings(
    const tablier_split_tables *tables, const uint8_t *beads, uint32_t first, uint32_t *out);

#endif
