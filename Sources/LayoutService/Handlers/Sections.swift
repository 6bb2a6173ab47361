import Hummingbird
import LayoutCache
import TextFormats

/// The sections of a dataset: what a scrubber or a jump to a date needs.
enum Sections {
  @Sendable static func list(_ exchange: Exchange) async throws -> Response {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    let from = try exchange.query.int("from", in: 0...Int.max) ?? 0
    let count = try exchange.query.int("count", in: 0...rowsMax) ?? rowsMax
    let (cache, dataset, layout) = (exchange.cache, exchange.dataset, exchange.query["layout"])
    let listing = try await exchange.blocking {
      try SectionListing(
        of: dataset, layout: layout, from: from, count: count, in: cache)
    }
    return exchange.json { json in
      json.beginObject()
      json.member("dataset", dataset)
      json.optionalMember("layout", layout)
      json.optionalMember("revision", listing.revision)
      json.member("sections")
      json.value(listing.sections, SectionListing.Section.fields)
      if listing.hasMore { json.member("next", from + count) }
      json.endObject()
    }
  }
}
