#include "ServicePage.h"

// Embedded by the C compiler, like the demo's sample: as Swift array literals the files take
// minutes to compile.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char carousels_js[] = {
#embed "Client/carousels.js"
};
static const unsigned char client_d_ts[] = {
#embed "Client/client.d.ts"
};
static const unsigned char client_js[] = {
#embed "Client/client.js"
};
static const unsigned char elements_js[] = {
#embed "Client/elements.js"
};
static const unsigned char events_js[] = {
#embed "Client/events.js"
};
static const unsigned char fitting_js[] = {
#embed "Client/fitting.js"
};
static const unsigned char follower_js[] = {
#embed "Client/follower.js"
};
static const unsigned char intervals_js[] = {
#embed "Client/intervals.js"
};
static const unsigned char loader_js[] = {
#embed "Client/loader.js"
};
static const unsigned char place_js[] = {
#embed "Client/place.js"
};
static const unsigned char preview_js[] = {
#embed "Client/preview.js"
};
static const unsigned char scrubber_js[] = {
#embed "Client/scrubber.js"
};
static const unsigned char sections_js[] = {
#embed "Client/sections.js"
};
static const unsigned char service_js[] = {
#embed "Client/service.js"
};
static const unsigned char stage_js[] = {
#embed "Client/stage.js"
};
static const unsigned char units_js[] = {
#embed "Client/units.js"
};
static const unsigned char window_js[] = {
#embed "Client/window.js"
};
static const unsigned char cards_js[] = {
#embed "Inspector/cards.js"
};
static const unsigned char changes_js[] = {
#embed "Inspector/changes.js"
};
static const unsigned char columns_js[] = {
#embed "Inspector/columns.js"
};
static const unsigned char details_js[] = {
#embed "Inspector/details.js"
};
static const unsigned char dom_js[] = {
#embed "Inspector/dom.js"
};
static const unsigned char editing_js[] = {
#embed "Inspector/editing.js"
};
static const unsigned char edits_js[] = {
#embed "Inspector/edits.js"
};
static const unsigned char feed_css[] = {
#embed "Inspector/feed.css"
};
static const unsigned char filters_js[] = {
#embed "Inspector/filters.js"
};
static const unsigned char find_js[] = {
#embed "Inspector/find.js"
};
static const unsigned char icon_svg[] = {
#embed "Inspector/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Inspector/index.html"
};
static const unsigned char inspector_css[] = {
#embed "Inspector/inspector.css"
};
static const unsigned char inspector_js[] = {
#embed "Inspector/inspector.js"
};
static const unsigned char keyboard_js[] = {
#embed "Inspector/keyboard.js"
};
static const unsigned char layouts_js[] = {
#embed "Inspector/layouts.js"
};
static const unsigned char narrow_css[] = {
#embed "Inspector/narrow.css"
};
static const unsigned char notices_js[] = {
#embed "Inspector/notices.js"
};
static const unsigned char options_js[] = {
#embed "Inspector/options.js"
};
static const unsigned char panels_css[] = {
#embed "Inspector/panels.css"
};
static const unsigned char sliders_js[] = {
#embed "Inspector/sliders.js"
};
static const unsigned char theme_js[] = {
#embed "Inspector/theme.js"
};
static const unsigned char tuning_js[] = {
#embed "Inspector/tuning.js"
};
static const unsigned char where_js[] = {
#embed "Inspector/where.js"
};
static const unsigned char openapi_json[] = {
#embed "openapi.json"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}
static const struct service_page_file files[] = {
    FILE("client.d.ts", client_d_ts),
    FILE("carousels.js", carousels_js),
    FILE("client.js", client_js),
    FILE("elements.js", elements_js),
    FILE("events.js", events_js),
    FILE("fitting.js", fitting_js),
    FILE("follower.js", follower_js),
    FILE("intervals.js", intervals_js),
    FILE("loader.js", loader_js),
    FILE("place.js", place_js),
    FILE("preview.js", preview_js),
    FILE("scrubber.js", scrubber_js),
    FILE("sections.js", sections_js),
    FILE("service.js", service_js),
    FILE("stage.js", stage_js),
    FILE("units.js", units_js),
    FILE("window.js", window_js),
    FILE("cards.js", cards_js),
    FILE("changes.js", changes_js),
    FILE("columns.js", columns_js),
    FILE("details.js", details_js),
    FILE("dom.js", dom_js),
    FILE("editing.js", editing_js),
    FILE("edits.js", edits_js),
    FILE("feed.css", feed_css),
    FILE("filters.js", filters_js),
    FILE("find.js", find_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("inspector.css", inspector_css),
    FILE("inspector.js", inspector_js),
    FILE("keyboard.js", keyboard_js),
    FILE("layouts.js", layouts_js),
    FILE("narrow.css", narrow_css),
    FILE("notices.js", notices_js),
    FILE("options.js", options_js),
    FILE("panels.css", panels_css),
    FILE("sliders.js", sliders_js),
    FILE("theme.js", theme_js),
    FILE("tuning.js", tuning_js),
    FILE("where.js", where_js),
    FILE("openapi.json", openapi_json),
};

const struct service_page_file *service_page_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
