# Contrat 500 as numbers for learners.

cdef enum:
    NUM_FEATURES = 330

cdef const char* FEATURES
cdef void write_features(const void* state, int seat, float* out) noexcept nogil
