import CollectionLayout
import LayoutGeometry
import SumTree

/// The result of laying out one section.
struct SectionResult: Sendable {
  /// The section's total length along the main axis.
  var length: Length
  /// The placed items.
  var content: SectionContent
  /// The section's key, while later commits must rebalance its items: they find it through the
  /// layout's tree, which has no other keys. Otherwise `nil`.
  var overdueKey: String?
  /// The measured lengths of the section in this layout.
  var measured = SupplementaryLengths.none
  /// The name of the section's style, by which later commits find its plan; `nil` for none.
  var style: String?
}

/// A run of laid out sections in the dataset's order: a leaf of a layout's tree.
struct SectionResultLeaf: Sendable {
  var entries: [SectionResult] = []
}

/// The summary of a run of sections in a layout's tree.
struct SectionResultSummary: Summary {
  /// The sum of the sections' lengths, without the gaps between them.
  var length: Length
  /// The number of sections that must be rebalanced.
  var overdueCount: Int
  /// The distance by which the transforms of cells extend their frames at most: how far from a
  /// rectangle the sections are that may have cells in it.
  var reach: Length

  static let identity = SectionResultSummary(length: .zero, overdueCount: 0, reach: .zero)

  mutating func append(_ next: SectionResultSummary) {
    length += next.length
    overdueCount += next.overdueCount
    reach = max(reach, next.reach)
  }

  // length        varint, units
  // overdueCount  varint: twice the count, + 1 if the reach is not 0
  // reach         varint, units, if it is not 0

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(length.units))
    writer.writeCount(overdueCount * 2 + (reach == .zero ? 0 : 1))
    if reach != .zero { writer.writeCount(Int(reach.units)) }
  }

  init(length: Length, overdueCount: Int, reach: Length) {
    (self.length, self.overdueCount, self.reach) = (length, overdueCount, reach)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    length = try SectionResult.length(from: &reader)
    let count = try reader.readCount(limit: Limits.sectionsMax * 2 + 1)
    overdueCount = count / 2
    reach =
      count % 2 == 0
      ? .zero : Length(units: Int64(try reader.readCount(limit: Int(Limits.customReachMax.units))))
  }
}

/// The number of sections before a position that must be rebalanced.
struct OverdueSections: ElementDimension {
  private(set) var count = 0

  mutating func advance(over summary: SectionResultSummary, count: Int) {
    self.count += summary.overdueCount
  }

  mutating func pass(_ index: Int, of leaf: SectionResultLeaf) {
    if leaf.entries[index].overdueKey != nil { count += 1 }
  }
}

/// The position of a section along the main axis.
struct SectionStart: ElementDimension {
  /// The gap after each section.
  let spacing: Length
  var section = 0
  /// The section's start.
  var start: Length = .zero

  /// - Parameter plan: The layout's plan: its header comes before the first section.
  init(in plan: LayoutPlan) { (spacing, start) = (plan.sectionSpacing, plan.frame.header) }

  mutating func advance(over summary: SectionResultSummary, count: Int) {
    section += count
    start += summary.length + spacing * count
  }

  mutating func pass(_ index: Int, of leaf: SectionResultLeaf) {
    section += 1
    start += leaf.entries[index].length + spacing
  }
}

extension SectionResultLeaf: TreeLeaf {
  var count: Int { entries.count }

  var summary: SectionResultSummary {
    SectionResultSummary(
      length: entries.reduce(.zero) { $0 + $1.length },
      overdueCount: entries.reduce(0) { $0 + ($1.overdueKey == nil ? 0 : 1) },
      reach: entries.reduce(.zero) { max($0, $1.content.reach) })
  }

  var byteCount: Int {
    entries.reduce(0) {
      $0 + MemoryLayout<SectionResult>.stride + 64 + ($1.content.kept?.byteCount ?? 0)
    }
  }

  func slice(_ range: Range<Int>) -> SectionResultLeaf {
    SectionResultLeaf(entries: Array(entries[range]))
  }

  func joined(with next: SectionResultLeaf) -> SectionResultLeaf {
    SectionResultLeaf(entries: entries + next.entries)
  }

  // count   varint, at least 1
  // for each section:
  //   length   varint, units
  //   overdue  keyLength varint, 0 if not overdue; key UTF-8
  //   content  as SectionContent
  // measured  if any section has measured lengths or a style: the number of those with measured
  //           lengths, varint, and for each, ascending: section varint, lengths as
  //           SupplementaryLengths
  // styles    if any section has a style: as in SectionLeaf

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    for entry in entries {
      writer.writeVarint(UInt64(entry.length.units))
      writer.write(text: entry.overdueKey ?? "")
      entry.content.encode(into: &writer)
    }
    let measured = entries.indices.filter { entries[$0].measured != .none }
    let styled = entries.indices.filter { entries[$0].style != nil }
    if measured.isEmpty && styled.isEmpty { return }
    writer.writeCount(measured.count)
    for section in measured {
      writer.writeCount(section)
      entries[section].measured.encode(into: &writer)
    }
    SectionStyles.encode(entries.map(\.style), of: styled, into: &writer)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Limits.sectionsMax, sizeMin: 3)
    entries.reserveCapacity(count)
    var total = Length.zero
    for _ in 0..<count {
      let length = try SectionResult.length(from: &reader)
      total += length
      guard total <= Limits.contentLengthMax else { throw reader.malformed("section lengths") }
      let key = try reader.readText(limit: Limits.nameBytesMax)
      let content = try SectionContent(from: &reader, kinds: SectionContent.kinds)
      entries.append(
        SectionResult(length: length, content: content, overdueKey: key.isEmpty ? nil : key))
    }
    if !reader.isAtEnd { try readMeasured(from: &reader) }
  }

  private mutating func readMeasured(from reader: inout ByteReader) throws(ByteError) {
    let measured = try reader.readCount(limit: count, sizeMin: 3)
    var next = 0
    guard measured > 0 || !reader.isAtEnd else { throw reader.malformed("measured sections") }
    for _ in 0..<measured {
      let section = try reader.readCount(limit: count)
      guard (next..<count).contains(section) else { throw reader.malformed("measured section") }
      entries[section].measured = try SupplementaryLengths(from: &reader)
      next = section + 1
    }
    try SectionStyles.read(count: count, from: &reader) { entries[$0].style = $1 }
  }
}

extension SectionPlan {
  /// Returns the plan with the measured lengths of its existing header and footer.
  func measured(_ lengths: SupplementaryLengths) -> SectionPlan {
    if lengths == .none { return self }
    var plan = self
    plan.boundary = plan.boundary.measured(header: lengths.header, footer: lengths.footer)
    return plan
  }
}

extension SectionResult {
  fileprivate static func length(from reader: inout ByteReader) throws(ByteError) -> Length {
    Length(units: Int64(try reader.readCount(limit: Int(Limits.contentLengthMax.units))))
  }
}

extension LayoutPlan {
  /// Returns the content's length along the main axis: the layout's header, the sections and the
  /// gaps between them, and the layout's footer.
  func mainLength(of results: SumTree<SectionResultLeaf>) -> Length {
    frame.header + results.summary.length + sectionSpacing * max(0, results.count - 1)
      + frame.footer
  }

  /// Returns a section's start along the main axis.
  ///
  /// - Complexity: O(log sections) nodes.
  func start(
    ofSection section: Int, in results: SumTree<SectionResultLeaf>, _ session: TreeSession
  ) throws -> Length {
    let start = SectionStart(in: self)
    return try results.place(at: section, from: start, in: session).before.start
  }
}
