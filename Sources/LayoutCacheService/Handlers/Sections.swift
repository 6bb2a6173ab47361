import Hummingbird
import LayoutCache
import LayoutGeometry
import TextFormats

/// Handlers for the sections of a dataset, as needed by a scrubber or a jump to a date.
enum Sections {
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    let rowsMax = request.service.configuration.limits.rowsMax
    let query = request.query
    let from = try query.int(.from, in: 0...Limits.sectionsMax)
    if from != nil { try query.refuse([.after], "cannot be combined with 'from'") }
    if query.has(.limit) { try query.refuse([.count], "is an alias of 'limit'; use only one") }
    let limit = try query.int(.limit, in: 1...rowsMax)
    let count = try limit ?? query.int(.count, in: 1...rowsMax) ?? rowsMax
    let start = query[.after].map { SectionListing.Start.after(key: $0) } ?? .index(from ?? 0)
    if let layout = request.layoutName {
      let offsets = try request.query.carouselOffsets()
      return try await request.read(
        LayoutID(layout, of: request.dataset), scrolledTo: offsets
      ) { snapshot in
        try request.validated(snapshot, representation: "json") {
          try request.respond(SectionListing(snapshot, from: start, count: count))
        }
      }
    }
    try request.query.refuse([.at, .offset, .where, .order, .view], "requires 'layout'")
    let (cache, dataset) = (request.cache, request.dataset)
    let listing = try await request.blocking {
      try SectionListing(of: dataset, layout: nil, from: start, count: count, in: cache)
    }
    return try request.respond(listing)
  }
}

extension ServiceRequest {
  fileprivate func respond(_ listing: SectionListing?) throws -> Response {
    guard let listing else {
      throw Problem(
        .notFound,
        "dataset '\(excerpt(dataset))' has no section '\(excerpt(query[.after] ?? ""))'")
    }
    return json { json in
      json.beginObject()
      json.member("dataset", dataset)
      json.optionalMember("layout", listing.layout)
      json.optionalMember("revision", listing.revision)
      if let total = listing.total {
        json.member("total")
        json.beginObject()
        json.member("sections", total.sections)
        json.member("items", total.items)
        json.endObject()
      }
      // A page by number continues by number, as in the parameter 'from'.
      let byNumber = !query.has(.after) && (query.has(.from) || query.has(.count))
      json.list(
        "sections", listing.sections, hasMore: listing.hasMore,
        next: { last -> any AnswerValue in byNumber ? last.index + 1 : last.key }
      ) { $0.value($1, SectionListing.Section.fields) }
      json.endObject()
    }
  }
}
