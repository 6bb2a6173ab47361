import CollectionLayout
import LayoutGeometry
import SumTree

/// What laying out one section came to.
struct SectionResult: Sendable {
  /// The section's whole length along the main axis.
  var length: Length
  /// The placed items.
  var content: SectionContent
}

/// A run of laid out sections in the dataset's order: a leaf of a layout's tree.
struct SectionResultLeaf: Sendable {
  var entries: [SectionResult] = []
}

/// The lengths of a run of sections, the gaps between them left out.
struct LengthSummary: Summary {
  var length: Length

  static let identity = LengthSummary(length: .zero)

  mutating func append(_ next: LengthSummary) { length += next.length }

  func encode(into writer: inout ByteWriter) { writer.writeVarint(UInt64(length.units)) }

  init(length: Length) { self.length = length }

  init(from reader: inout ByteReader) throws(ByteError) {
    length = Length(
      units: Int64(try reader.readCount(limit: Int(Limits.contentLengthMax.units))))
  }
}

/// The place of a section along the main axis.
struct SectionStart: ElementDimension {
  /// The gap behind each section.
  let spacing: Length
  var section = 0
  /// Where the section begins.
  var start: Length = .zero

  init(spacing: Length) { self.spacing = spacing }

  mutating func advance(over summary: LengthSummary, count: Int) {
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

  var summary: LengthSummary {
    LengthSummary(length: entries.reduce(.zero) { $0 + $1.length })
  }

  var byteCount: Int { entries.count * (MemoryLayout<SectionResult>.stride + 64) }

  func slice(_ range: Range<Int>) -> SectionResultLeaf {
    SectionResultLeaf(entries: Array(entries[range]))
  }

  func joined(with next: SectionResultLeaf) -> SectionResultLeaf {
    SectionResultLeaf(entries: entries + next.entries)
  }

  // count   varint, at least 1
  // for each section:
  //   length   varint, units
  //   content  as SectionContent

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    for entry in entries {
      writer.writeVarint(UInt64(entry.length.units))
      entry.content.encode(into: &writer)
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Limits.sectionsMax, sizeMin: 2)
    entries.reserveCapacity(count)
    var total = Length.zero
    for _ in 0..<count {
      let length = try LengthSummary(from: &reader).length
      total += length
      guard total <= Limits.contentLengthMax else { throw reader.malformed("section lengths") }
      let content = try SectionContent(from: &reader, kinds: SectionContent.kinds)
      entries.append(SectionResult(length: length, content: content))
    }
  }
}

extension LayoutPlan {
  /// The content's length along the main axis: the sections and the gaps between them.
  func mainLength(of results: SumTree<SectionResultLeaf>) -> Length {
    results.summary.length + sectionSpacing * max(0, results.count - 1)
  }

  /// Where a section starts along the main axis.
  ///
  /// - Complexity: O(log sections) nodes.
  func start(
    ofSection section: Int, in results: SumTree<SectionResultLeaf>, _ session: TreeSession
  ) throws -> Length {
    let start = SectionStart(spacing: sectionSpacing)
    return try results.place(at: section, from: start, in: session).before.start
  }
}
