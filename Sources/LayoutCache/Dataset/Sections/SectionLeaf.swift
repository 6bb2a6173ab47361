import LayoutGeometry
import LayoutStore
import SumTree

/// A run of sections in the dataset's order: a leaf of the section tree.
struct SectionLeaf: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var key: String
    var itemCount: Int
    /// The name of the section's style; `nil` for none.
    var style: String?
    /// The measured lengths by layout ID, without empty values.
    var supplementaryLengths: [Int64: SupplementaryLengths] = [:]
  }

  /// The label; see ``ItemLeaf/label``.
  var label: UInt64 = 0
  var entries: [Entry] = []
}

/// The totals of a run of sections.
struct SectionSummary: Summary {
  var itemCount: Int
  var labels: LabelSummary

  static let identity = SectionSummary(itemCount: 0, labels: .identity)

  mutating func append(_ next: SectionSummary) {
    itemCount += next.itemCount
    labels.append(next.labels)
  }

  func isProduct(of children: ContiguousArray<SectionSummary>) -> Bool {
    labels.isLast(of: children.lazy.map(\.lastLabel))
      && children.reduce(0) { $0 + $1.itemCount } == itemCount
  }

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(itemCount)
    labels.encode(into: &writer)
  }

  init(itemCount: Int, labels: LabelSummary) {
    self.itemCount = itemCount
    self.labels = labels
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    itemCount = try reader.readCount(limit: Limits.itemsMax)
    labels = try LabelSummary(from: &reader)
  }
}

/// The position of a section: its number, and the number of items before it.
struct SectionPosition: ElementDimension {
  var section = 0
  var item = 0

  mutating func advance(over summary: SectionSummary, count: Int) {
    section += count
    item += summary.itemCount
  }

  mutating func pass(_ index: Int, of leaf: SectionLeaf) {
    section += 1
    item += leaf.entries[index].itemCount
  }
}

extension SectionSummary: LabelledSummary {
  var lastLabel: UInt64 { labels.last }
}

extension SectionLeaf: LabelledLeaf {
  func key(at index: Int) -> String { entries[index].key }

  func keyHash(at index: Int, _ hash: KeyedHash) -> UInt64 { hash.ofKey(entries[index].key) }
}

extension SectionLeaf: TreeLeaf {
  var count: Int { entries.count }

  var summary: SectionSummary {
    SectionSummary(
      itemCount: entries.reduce(0) { $0 + $1.itemCount }, labels: LabelSummary(last: label))
  }

  var byteCount: Int {
    entries.reduce(0) {
      $0 + MemoryLayout<Entry>.stride * 2 + 64 * $1.supplementaryLengths.count
    }
  }

  func slice(_ range: Range<Int>) -> SectionLeaf {
    SectionLeaf(label: label, entries: Array(entries[range]))
  }

  /// Returns the joined leaf, with the later label if it has one: the summary of both.
  func joined(with next: SectionLeaf) -> SectionLeaf {
    SectionLeaf(label: next.label == 0 ? label : next.label, entries: entries + next.entries)
  }

  // label      varint
  // count      varint, at least 1
  // for each section:
  //   keyLength  varint, 1 to 255
  //   key        UTF-8
  //   itemCount  varint
  // measured   if any section has measured lengths or a style: the number of (section,
  //            layout) pairs, varint, and for each, ordered by section, then layout:
  //            section varint, layout varint, lengths as SupplementaryLengths
  // styles     if any section has a style: the number of such sections, varint, at least 1,
  //            and for each, in order: section varint, styleLength varint, 1 to 255, style
  //            UTF-8

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(label)
    writer.writeCount(count)
    for entry in entries {
      writer.write(text: entry.key)
      writer.writeCount(entry.itemCount)
    }
    let measured = entries.reduce(0) { $0 + $1.supplementaryLengths.count }
    let styled = entries.indices.filter { entries[$0].style != nil }
    if measured == 0 && styled.isEmpty { return }
    writer.writeCount(measured)
    for (section, entry) in entries.enumerated() {
      for (layout, lengths) in entry.supplementaryLengths.sorted(by: { $0.key < $1.key }) {
        writer.writeCount(section)
        writer.writeVarint(UInt64(layout))
        lengths.encode(into: &writer)
      }
    }
    SectionStyles.encode(entries.map(\.style), of: styled, into: &writer)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    label = try reader.readVarint()
    let count = try reader.readCount(limit: Limits.sectionsMax, sizeMin: 3)
    var itemCount = 0
    for _ in 0..<count {
      let key = try reader.readKey()
      let items = try reader.readCount(limit: Limits.itemsMax - itemCount)
      itemCount += items
      entries.append(Entry(key: key, itemCount: items))
    }
    if !reader.isAtEnd { try readMeasured(from: &reader) }
  }

  private mutating func readMeasured(from reader: inout ByteReader) throws(ByteError) {
    var last: (section: Int, layout: Int64) = (0, -1)
    let measured = try reader.readCount(limit: .max, sizeMin: 4)
    guard measured > 0 || !reader.isAtEnd else { throw reader.malformed("measured sections") }
    for _ in 0..<measured {
      let section = try reader.readCount(limit: count)
      let layout = Int64(try reader.readCount(limit: .max))
      guard section < count, last < (section, layout) else {
        throw reader.malformed("measured section")
      }
      last = (section, layout)
      entries[section].supplementaryLengths[layout] = try SupplementaryLengths(from: &reader)
    }
    try SectionStyles.read(count: count, from: &reader) { entries[$0].style = $1 }
  }
}

extension ByteReader {
  /// Reads a key: its length, then its bytes.
  ///
  /// - Throws: `ByteError` for an invalid name. Repaired text would be longer when written again.
  mutating func readKey() throws(ByteError) -> String {
    let key = try readText(limit: Limits.nameBytesMax)
    guard !key.isEmpty else { throw malformed("key") }
    return key
  }
}

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
      writer.write(text: style)
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
