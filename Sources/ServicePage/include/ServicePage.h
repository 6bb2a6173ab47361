#ifndef SERVICE_PAGE_H
#define SERVICE_PAGE_H

#include <stddef.h>

/// A file of the inspector page, or the description of the service.
struct service_page_file {
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

/// All files; `*count` is set to their number.
const struct service_page_file *service_page_files(size_t *count);

#endif
