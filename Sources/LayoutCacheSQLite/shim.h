#include <sqlite3.h>

/* Has a connection leave the write-ahead log alone when it is closed. Swift does not import functions
   with variable arguments. */
static inline int layoutcache_keep_log_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
