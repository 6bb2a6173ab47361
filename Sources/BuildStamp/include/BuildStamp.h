#ifndef BUILD_STAMP_H
#define BUILD_STAMP_H

/// The commit that the program was built from: the value of the environment variable
/// LAYOUTCACHE_COMMIT during the build, as set by `make release`, or "unknown commit".
///
/// In C because a Swift compilation condition has no value; a separate target, so that another
/// commit recompiles nothing else.
const char *build_stamp_commit(void);

#endif
