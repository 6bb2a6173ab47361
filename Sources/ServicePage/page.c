#include "ServicePage.h"

// Embedded by the C compiler, as the sample is: as Swift array literals the files take
// minutes to compile.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "index.html"
};
static const unsigned char client_js[] = {
#embed "client.js"
};
static const unsigned char openapi_json[] = {
#embed "openapi.json"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}
static const struct service_page_file files[] = {
    FILE("index.html", index_html),
    FILE("client.js", client_js),
    FILE("openapi.json", openapi_json),
};

const struct service_page_file *service_page_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
