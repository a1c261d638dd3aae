/* Translates gcc's coverage for libFuzzer, which expects the format that only clang emits.
 *
 * gcc calls __sanitizer_cov_trace_pc in every basic block. libFuzzer reads an array of 8-bit counters,
 * one per block. Here each block increments the counter that its address hashes to. libFuzzer
 * understands gcc's reports of comparisons (trace-cmp) as they are.
 */
#include <stdint.h>

enum { SLOTS_LOG = 13, SLOTS = 1 << SLOTS_LOG };

static uint8_t counters[SLOTS];
static uintptr_t places[SLOTS][2]; /* libFuzzer's table: an address and flags for every counter */

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

void tablier_offer_counters(void) {
    for (int i = 0; i < SLOTS; i++)
        places[i][0] = (uintptr_t)&counters[i];
    __sanitizer_cov_8bit_counters_init(counters, counters + SLOTS);
    __sanitizer_cov_pcs_init(places[0], places[SLOTS]);
}

void __sanitizer_cov_trace_pc(void) {
    uint64_t place = (uint64_t)(uintptr_t)__builtin_return_address(0);
    counters[place * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOTS_LOG)]++;
}

/* gcc reports comparisons of floating-point numbers too; libFuzzer has no use for them. */
void __sanitizer_cov_trace_cmpf(float a, float b) { (void)a, (void)b; }
void __sanitizer_cov_trace_cmpd(double a, double b) { (void)a, (void)b; }
