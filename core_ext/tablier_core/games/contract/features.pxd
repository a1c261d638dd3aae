# Contract as numbers for learners.

cdef enum:
    NUM_FEATURES = 668

cdef const char* FEATURES
cdef void write_features(const void* state, int seat, float* out) noexcept nogil
