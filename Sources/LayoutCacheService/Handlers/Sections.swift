import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// The sections of a dataset: what a scrubber or a jump to a date needs.
enum Sections {
  @Sendable static func list(_ exchange: Exchange) async throws -> Response {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    let from = try exchange.query.int("from", in: 0...Limits.sectionsMax) ?? 0
    let count = try exchange.query.int("count", in: 1...rowsMax) ?? rowsMax
    if let layout = exchange.query["layout"] {
      return try await exchange.read(LayoutID(layout, of: exchange.dataset)) { snapshot in
        try exchange.validated(snapshot, representation: "json") {
          exchange.answer(try SectionListing(snapshot, from: from, count: count), layout)
        }
      }
    }
    try exchange.query.refuse(["at"], "goes with 'layout'")
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let listing = try await exchange.blocking {
      try SectionListing(of: dataset, layout: nil, from: from, count: count, in: cache)
    }
    return exchange.answer(listing, nil)
  }
}

extension Exchange {
  fileprivate func answer(_ listing: SectionListing, _ layout: String?) -> Response {
    json { json in
      json.beginObject()
      json.member("dataset", dataset)
      json.optionalMember("layout", layout)
      json.optionalMember("revision", listing.revision)
      json.member("sections")
      json.value(listing.sections, SectionListing.Section.fields)
      json.optionalMember("next", listing.next)
      json.endObject()
    }
  }
}
