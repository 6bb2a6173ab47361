#include "BuildStamp.h"

#ifndef LAYOUTCACHE_COMMIT
#define LAYOUTCACHE_COMMIT "unknown commit"
#endif

const char *build_stamp_commit(void) { return LAYOUTCACHE_COMMIT; }
