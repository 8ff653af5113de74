#pragma once
#include <stdint.h>

// Counts what the calling thread asks the C library's allocator for: Swift's heap and libcrypto's
// both end there. Linking this replaces malloc and its relatives by ones that count and pass on.

// The number of blocks asked for by this thread so far; a block made larger counts once more.
uint64_t attest_allocation_count(void);
