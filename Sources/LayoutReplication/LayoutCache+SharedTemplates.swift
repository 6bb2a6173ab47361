package import LayoutCache
import LayoutStore
import SumTree

// The templates of a cluster: nodes encode all of them together, as one value of the shared log.

extension LayoutCache {
  /// Returns the encoding of templates after a change.
  ///
  /// - Parameter number: The number of the change.
  /// - Throws: `ByteError`; as ``commit(_:)`` of the change.
  package static func templates(
    _ bytes: [UInt8], after change: CatalogChange, numbered number: Int
  ) throws -> [UInt8] {
    var rows = try [TemplateRow](encodedTemplates: bytes)
    try rows.apply(change, numbered: number)
    return rows.encoded
  }

  /// Stores the templates of a shared log in the file.
  ///
  /// - Parameter number: The number of their last change.
  /// - Throws: `ByteError`; ``LayoutCacheError`` with `database`.
  package func putTemplates(_ bytes: [UInt8], numbered number: Int) throws {
    try putTemplates([TemplateRow](encodedTemplates: bytes), numbered: number)
  }
}

extension [TemplateRow] {
  // count; of each:
  //   name, datasets, layout, configuration, who: length as varint, UTF-8
  //   number  varint
  //   time    signed varint

  /// The encoding of a cluster's templates.
  fileprivate var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(count)
    for row in self {
      for text in [row.name, row.datasets, row.layout, row.configuration, row.who] {
        writer.write(text: text)
      }
      writer.writeCount(row.number)
      writer.writeSignedVarint(row.time)
    }
    return writer.bytes
  }

  /// - Throws: `ByteError`.
  fileprivate init(encodedTemplates bytes: [UInt8]) throws {
    self =
      try bytes.isEmpty
      ? []
      : ByteReader.read(bytes) { reader in
        var rows: [TemplateRow] = []
        for _ in 0..<(try reader.readCount(limit: .max)) {
          let texts = try (0..<5).map { _ in try reader.readText(limit: .max) }
          rows.append(
            TemplateRow(
              texts[0], datasets: texts[1], layout: texts[2], configuration: texts[3],
              number: try reader.readCount(limit: .max), time: try reader.readSignedVarint(),
              who: texts[4]))
        }
        try reader.expectEnd()
        return rows
      }
  }
}
