import CollectionLayout
import Hummingbird
import LayoutCache
import NIOCore
import TextFormats

/// The handler that searches the keys and the data of a dataset's items.
enum Search {
  private static let type = "application/x-ndjson"
  private static let textBytesMax = 1_000
  private static let limit = 100
  /// The work of one request: at most that many items are compared, and some more bytes of data.
  /// The answer then ends with the position at which another request continues.
  private static let itemsMax = 1_000_000
  private static let dataBytesMax = 256 << 20
  /// The number of items after which the answer has a line with the progress. A client that has
  /// disconnected is noticed by then.
  private static let itemsPerProgress = 16_384

  /// Returns the items that contain a text, as a stream: one line for each as soon as it is found,
  /// lines with the progress, and a last line with the position after the last compared item.
  @Sendable static func find(_ exchange: ServiceRequest) async throws -> Response {
    let query = exchange.query
    guard let text = query[.text], (1...textBytesMax).contains(text.utf8.count) else {
      throw Problem(.badRequest, "'text' is required: 1 to \(textBytesMax) bytes to search for")
    }
    let start = try query.indexPath(.from) ?? LayoutAttributes.IndexPath(section: 0, item: 0)
    let end = try query.indexPath(.to)
    let rowsMax = exchange.service.configuration.limits.rowsMax
    let found = try query.int(.limit, in: 1...rowsMax) ?? min(limit, rowsMax)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    let place = try exchange.place(of: exchange.service.searchPlaces)
    let bytesMax = exchange.answerBytesMax
    return try await exchange.piped(
      type: type, on: exchange.service.searchThreads, holding: place
    ) { pipe in
      try write(
        cache, dataset, SearchText(text), from: start, to: end, limit: found, bytesMax, to: pipe)
    }
  }

  private static func write(
    _ cache: LayoutCache, _ dataset: String, _ text: SearchText,
    from start: LayoutAttributes.IndexPath, to end: LayoutAttributes.IndexPath?, limit: Int,
    _ bytesMax: Int, to pipe: OutboundPipe
  ) throws {
    var bytes: [UInt8] = []
    var (foundCount, foundBytes) = (0, 0)
    func flush() throws {
      if bytes.isEmpty { return }
      try pipe.put(ByteBuffer(bytes: bytes))
      bytes.removeAll(keepingCapacity: true)
    }
    let (done, next) = try cache.search(text, in: dataset, from: start, to: end) { done in
      if done.itemCount % itemsPerProgress == 0 { bytes += line(done) }
      try flush()
      return done.itemCount < itemsMax && done.dataBytes < dataBytesMax
    } _: { item in
      let text = line(item)
      bytes += text
      foundCount += 1
      foundBytes += text.count
      return foundCount < limit && foundBytes < bytesMax - JSONWriter.endBytes
    }
    bytes += line(done, isLast: true, next: next)
    try flush()
  }

  private static func line(_ item: FoundItem) -> [UInt8] {
    line { json in
      json.member("section", item.path.section)
      json.optionalMember("item", item.path.item)
      json.member("sectionKey", item.sectionKey)
      json.member("key", item.key)
      guard let data = item.data else { return }
      json.member("data")
      json.value(json: data.json)
    }
  }

  private static func line(
    _ done: SearchProgress, isLast: Bool = false, next: LayoutAttributes.IndexPath? = nil
  ) -> [UInt8] {
    line { json in
      json.member("searched", done.itemCount)
      guard isLast else { return }
      json.member("next")
      if let next { json.value("\(next.section).\(next.item ?? 0)") } else { json.null() }
    }
  }

  private static func line(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    write(&json)
    json.endObject()
    return json.bytes + [UInt8(ascii: "\n")]
  }
}
