/* Shifts a program's wall clock by WRONG_CLOCK seconds; loaded by LD_PRELOAD. libfaketime shifts
   timers of Dispatch too, which then never fire.

   Waits until a wall clock's time are shifted back. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift(void) {
  static time_t known;
  if (!known) known = atol(getenv("WRONG_CLOCK"));
  return known;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
  int code = syscall(SYS_clock_gettime, clock, found);
  if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += shift();
  return code;
}

int gettimeofday(struct timeval *found, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  found->tv_sec = now.tv_sec;
  found->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *found) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (found) *found = now.tv_sec;
  return now.tv_sec;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *end) {
  struct timespec real = {end->tv_sec - shift(), end->tv_nsec};
  return sem_clockwait(semaphore, CLOCK_REALTIME, &real);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *end) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  /* A condition of the monotonic clock has small times. */
  struct timespec real = {end->tv_sec - (end->tv_sec > 1000000000 ? shift() : 0), end->tv_nsec};
  /* Of two versions of the function, dlsym would find the older one. */
  if (!wait) wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  return wait(condition, mutex, &real);
}
