#include "DemoSample.h"

// Embedded by the C compiler: as a Swift array literal the file takes minutes to
// compile, and as a copied resource it would have to be distributed next to the binary.
// (`#embed` is C23; clang accepts it in every dialect with a warning.)
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char sample[] = {
#embed "tate-sample.csv"
};

const unsigned char *demo_sample_bytes(void) { return sample; }

size_t demo_sample_count(void) { return sizeof sample; }
