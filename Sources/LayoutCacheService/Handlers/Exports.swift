import HTTPTypes
import Hummingbird
import LayoutCache
import NIOPosix
import TextFormats

/// Handlers that export items as text of any length, in constant memory.
enum Exports {
  private enum Format: String, CaseIterable {
    case csv, ndjson

    var textFormat: TextFormat { self == .csv ? .csv : .ndjson }
    var type: String { self == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson" }
  }

  private static let pieceBytes = 64 << 10

  /// Exports all items of one revision, in order.
  @Sendable static func export(_ request: ServiceRequest) async throws -> Response {
    let format = try request.query.choice(.format, of: Format.self) ?? .ndjson
    // NDJSON always contains the data.
    let withData = try request.query.flag(.data) || format == .ndjson
    let isOfPreferred = try request.query.flag(.preferredLengths)
    if isOfPreferred && (format != .ndjson || request.query.has(.data)) {
      throw Problem(
        .badRequest,
        "'preferredLengths' requires format=ndjson and cannot be combined with 'data'")
    }
    let place = try request.place(of: request.service.exportPlaces)
    let (cache, dataset) = (request.cache, request.dataset)
    return try await request.piped(
      type: format.type, on: request.service.exportThreads, holding: place
    ) { pipe in
      if isOfPreferred {
        try writePreferred(dataset, of: cache, to: pipe)
      } else {
        try write(dataset, of: cache, as: format.textFormat, withData: withData, to: pipe)
      }
    }
  }

  private static func write(
    _ dataset: String, of cache: LayoutCache, as format: TextFormat, withData: Bool,
    to pipe: OutboundPipe
  ) throws {
    var writer = ItemWriter(format: format)
    try cache.exportItems(of: dataset, withData: withData) { contents in
      writer = ItemWriter(
        format: format, withHidden: contents.hidden, withStyles: contents.styles,
        withData: withData)
    } _: { section, item in
      writer.write(
        key: item.key, width: item.size.width.points, height: item.size.height.points,
        section: section.key, span: item.columnSpan, visibility: item.visibility,
        style: section.style, data: item.data)
      if writer.bytes.count >= pieceBytes { try pipe.put(ByteBuffer(bytes: writer.takeBytes())) }
    }
    // For an empty dataset, the header if the format has one.
    try pipe.put(ByteBuffer(bytes: writer.takeBytes()))
  }

  /// Writes the preferred lengths that were measured, as a batch that sets them.
  private static func writePreferred(
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
