#include "DemoSample.h"

// Embedded by the C compiler: as a Swift array literal the file takes minutes to
// compile, and as a copied resource it would have to travel beside the binary.
// (`#embed` is C23; clang takes it in every dialect and warns.)
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char sample[] = {
#embed "tate-sample.csv"
};

const unsigned char *demo_sample_bytes(void) { return sample; }

size_t demo_sample_count(void) { return sizeof sample; }
