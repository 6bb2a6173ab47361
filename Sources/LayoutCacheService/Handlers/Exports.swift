import HTTPTypes
import Hummingbird
import LayoutCache
import NIOPosix
import TextFormats

/// Items as a text of any length, in constant memory.
enum Exports {
  private enum Format: String, CaseIterable {
    case csv, ndjson

    var textFormat: TextFormat { self == .csv ? .csv : .ndjson }
    var type: String { self == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson" }
  }

  private static let pieceBytes = 64 << 10
  private static let piecesMax = 4

  /// All items of one revision, in order. An export that fails ends without the last
  /// chunk, so that nobody takes a part for the whole.
  @Sendable static func export(_ exchange: Exchange) async throws -> Response {
    let format = try exchange.query.choice("format", of: Format.self) ?? .ndjson
    // NDJSON has it always.
    let withData = try exchange.query.flag("data") || format == .ndjson
    let isOfMeasured = try exchange.query.flag("measured")
    if isOfMeasured && (format != .ndjson || exchange.query.has("data")) {
      throw Problem(.badRequest, "'measured' gives a batch, in NDJSON and without 'data'")
    }
    let place = try exchange.service.exportPlaces.take()
    let pipe = OutboundPipe(piecesMax: piecesMax)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    // Goes with the answer's body, which nobody may ever ask for, as after a HEAD.
    let taker = OutboundPipe.Taker(pipe)
    Task {
      do {
        try await exchange.service.exportThreads.runIfActive {
          if isOfMeasured {
            try writeMeasured(dataset, of: cache, to: pipe)
          } else {
            try write(
              dataset, of: cache, as: format.textFormat, withData: withData, to: pipe)
          }
        }
        pipe.finish(.success(()))
      } catch {
        pipe.finish(.failure(error))
      }
      // As long as the thread is busy, whatever has become of the client.
      withExtendedLifetime(place) {}
    }
    // Before the answer's head, so that what there is to refuse is refused.
    let first = try await taker.next()
    return Response(
      status: .ok, headers: [.contentType: format.type, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        var piece = first
        while let bytes = piece {
          try await writer.write(bytes)
          piece = try await taker.next()
        }
        try await writer.finish(nil)
      })
  }

  private static func write(
    _ dataset: String, of cache: LayoutCache, as format: TextFormat, withData: Bool,
    to pipe: OutboundPipe
  ) throws {
    var writer = ItemWriter(format: format, withData: withData)
    try cache.forEachItem(of: dataset, withData: withData) { section, item in
      writer.write(
        key: item.key, width: item.size.width.points, height: item.size.height.points,
        section: section, span: item.columnSpan, data: item.data)
      if writer.bytes.count >= pieceBytes { try pipe.put(ByteBuffer(bytes: writer.takeBytes())) }
    }
    // Of a dataset without items the header, if there is one.
    try pipe.put(ByteBuffer(bytes: writer.takeBytes()))
  }

  /// What was measured for the layouts, as the batch that states it.
  private static func writeMeasured(
    _ dataset: String, of cache: LayoutCache, to pipe: OutboundPipe
  ) throws {
    var bytes: [UInt8] = []
    try cache.forEachMeasuredLength(of: dataset) { operation in
      bytes += operation.line
      guard bytes.count >= pieceBytes else { return }
      try pipe.put(ByteBuffer(bytes: bytes))
      bytes.removeAll(keepingCapacity: true)
    }
    try pipe.put(ByteBuffer(bytes: bytes))
  }
}
