/* A disk that does not answer: while the file FROZEN_DISK exists, writes and syncs of files wait.
   Loaded by LD_PRELOAD into PostgreSQL, which waits in them as it would in the system's calls:
   signals are handled, but the call does not return. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *sign;

/* A copy, since PostgreSQL writes the titles of its processes over the environment. */
__attribute__((constructor)) static void remember(void) {
  const char *path = getenv("FROZEN_DISK");
  if (path) sign = strdup(path);
}

static void wait_for_disk(void) {
  while (sign && !access(sign, F_OK)) usleep(20000);
}

/* The call in the next library, after the disk answers. */
#define AFTER_WAIT(result, name, parameters, ...)                          \
  result name parameters {                                                 \
    static result(*real) parameters;                                       \
    if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);       \
    wait_for_disk();                                                       \
    return real(__VA_ARGS__);                                              \
  }

AFTER_WAIT(int, fsync, (int file), file)
AFTER_WAIT(int, fdatasync, (int file), file)
AFTER_WAIT(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), file, bytes,
           count, at)
AFTER_WAIT(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at), file, bytes,
           count, at)
AFTER_WAIT(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at), file,
           parts, count, at)
AFTER_WAIT(ssize_t, pwritev64, (int file, const struct iovec *parts, int count, off64_t at), file,
           parts, count, at)
