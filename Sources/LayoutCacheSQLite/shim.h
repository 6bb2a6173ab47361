#include <sqlite3.h>

/* Sets whether a connection leaves the write-ahead log alone when it is closed. Swift does not
   import functions with variable arguments. */
static inline int layoutcache_keep_log_on_close(sqlite3 *db, int keeps) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

/* Lets a connection use no views, no triggers, and no functions with effects of its file's schema,
   which another program may have written. */
static inline void layoutcache_distrust_schema(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
