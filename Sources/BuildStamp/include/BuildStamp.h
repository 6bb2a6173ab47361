#ifndef BUILD_STAMP_H
#define BUILD_STAMP_H

/// The commit that the program was built from, or "unknown commit": what the environment
/// variable LAYOUTCACHE_COMMIT said when it was built, as `make release` sets it.
///
/// In C because a definition in Swift has no value; a target of its own, so that another
/// commit compiles nothing else anew.
const char *build_stamp_commit(void);

#endif
