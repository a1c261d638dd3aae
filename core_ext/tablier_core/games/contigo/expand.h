/* Turning a bit set into a list of moves, eight candidates at a time: the positions of the set bits of
 * a byte are looked up and stored as one vector, then the cursor advances by their number. */
#ifndef TABLIER_CONTIGO_EXPAND_H
#define TABLIER_CONTIGO_EXPAND_H

#include <stdint.h>
#include <string.h>

typedef uint32_t tablier_lanes __attribute__((vector_size(32), aligned(4)));

/* Filled once, at import: for each byte, the positions of its set bits, in ascending order. */
typedef struct {
    uint32_t positions[256][8];
    uint8_t count[256];
} tablier_bits;

/* Append base + i for every bit i that is set in `word`; may write seven entries past the end. */
static inline uint32_t *tablier_expand(
    const tablier_bits *bits, uint64_t word, uint32_t base, uint32_t *out)
{
    while (word) {
        const unsigned byte = word & 255;
        tablier_lanes lanes;
        memcpy(&lanes, bits->positions[byte], sizeof lanes);
        lanes += base;
        memcpy(out, &lanes, sizeof lanes);
        out += bits->count[byte];
        base += 8;
        word >>= 8;
    }
    return out;
}
#endif
