import LayoutGeometry
import SumTree

/// The encoding of the styles of a leaf's sections.
enum SectionStyles {
  /// Appends the number of styled sections, and for each its index and its style; nothing without
  /// styled sections.
  ///
  /// - Parameter styled: The indices of the sections that have a style.
  static func encode(
    _ styles: [String?], of styled: [Int], into writer: inout ByteWriter
  ) {
    if styled.isEmpty { return }
    writer.writeCount(styled.count)
    for section in styled {
      guard let style = styles[section] else { continue }
      writer.writeCount(section)
      writer.writeCount(style.utf8.count)
      writer.writeBytes(style.utf8)
    }
  }

  /// Reads the styles of a leaf's sections up to the end of the leaf.
  ///
  /// - Parameters:
  ///   - count: The number of sections.
  ///   - body: Called with the index and style of each styled section.
  static func read(
    count: Int, from reader: inout ByteReader, _ body: (Int, String) -> Void
  ) throws(ByteError) {
    if reader.isAtEnd { return }
    let styled = try reader.readCount(limit: count, sizeMin: 3)
    guard styled > 0 else { throw reader.malformed("styled sections") }
    var next = 0
    for _ in 0..<styled {
      let section = try reader.readCount(limit: count)
      guard (next..<count).contains(section) else { throw reader.malformed("styled section") }
      body(section, try reader.readKey())
      next = section + 1
    }
  }
}
