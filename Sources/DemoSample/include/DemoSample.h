#ifndef DEMO_SAMPLE_H
#define DEMO_SAMPLE_H

#include <stddef.h>

/// The bytes of the sample that `layoutcache demo` imports: works of Tate's
/// collection (CC0) as CSV, one row per work.
const unsigned char *demo_sample_bytes(void);

/// The number of the sample's bytes.
size_t demo_sample_count(void);

#endif
