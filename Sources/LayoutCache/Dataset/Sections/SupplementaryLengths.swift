import CollectionLayout
import LayoutGeometry
import SumTree

/// The measured lengths along the main axis of a section's header and footer in one layout, or of
/// those of the layout, which replace the configured lengths.
///
/// As with items (``PreferredLength``), they are stored with the dataset's sections, because a
/// measurement cannot be computed again. A layout's result has a copy, so that it can follow the
/// log without the dataset.
struct SupplementaryLengths: Sendable, Hashable {
  /// Above zero; `nil` if not measured.
  private(set) var header: Length?
  private(set) var footer: Length?

  static let none = SupplementaryLengths()

  /// The length of a header or footer; above zero, or `nil`.
  subscript(kind: LayoutAttributes.SupplementaryKind) -> Length? {
    get { kind == .header || kind == .layoutHeader ? header : footer }
    set {
      if kind == .header || kind == .layoutHeader { header = newValue } else { footer = newValue }
    }
  }

  // header  varint, units; 0 for none
  // footer  varint, units; 0 for none; one of both is above 0

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64((header ?? .zero).units))
    writer.writeVarint(UInt64((footer ?? .zero).units))
  }

  init() {}

  init(from reader: inout ByteReader) throws(ByteError) {
    try self.init(orNoneFrom: &reader)
    guard self != .none else { throw reader.malformed("measured lengths") }
  }

  /// Reads lengths that may both be missing.
  init(orNoneFrom reader: inout ByteReader) throws(ByteError) {
    header = try reader.readSide().ifPositive
    footer = try reader.readSide().ifPositive
  }

  /// The measured lengths of a layout's header and footer.
  init(_ frame: LayoutFrame) { (header, footer) = (frame.measuredHeader, frame.measuredFooter) }
}

extension LayoutFrame {
  mutating func measure(_ lengths: SupplementaryLengths) {
    measure(header: lengths.header, footer: lengths.footer)
  }
}

extension LayoutPlan {
  /// Returns the plan with the measured lengths of its existing header and footer.
  func measured(_ lengths: SupplementaryLengths) -> LayoutPlan {
    if lengths == SupplementaryLengths(frame) { return self }
    var plan = self
    plan.frame.measure(lengths)
    return plan
  }
}

extension SectionLeaf.Entry {
  /// Returns the measured lengths of the section in a layout.
  func measured(in layout: Int64) -> SupplementaryLengths {
    supplementaryLengths.isEmpty ? .none : supplementaryLengths[layout] ?? .none
  }
}

extension ByteReader {
  /// Reads a length of 0 to `Limits.sideMax`.
  mutating func readSide() throws(ByteError) -> Length {
    Length(units: Int64(try readCount(limit: Int(Limits.sideMax.units))))
  }
}

extension Length {
  /// The length, or `nil` for 0, which means none in the file.
  var ifPositive: Length? { self > .zero ? self : nil }
}
