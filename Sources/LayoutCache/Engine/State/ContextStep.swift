import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The changes of a layout's result in one step, from a revision of its dataset to a later one: a
/// commit, or several that the result followed at once.
struct ContextStep: Sendable {
  let start: Int
  let end: Int
  let context: InvalidationContext

  /// The maximum size of a stored context, in bytes.
  private static let bytesMax = 4096

  /// The row of the step. A longer context names one range of items in each section; one that is
  /// still too long is `everything`.
  func row(in space: NodeSpace) -> ContextRow {
    var bytes = context.encoded
    if bytes.count > Self.bytesMax { bytes = context.coarsened.encoded }
    if bytes.count > Self.bytesMax { bytes = InvalidationContext.everything(.tooLarge).encoded }
    return ContextRow(space: space, start: start, end: end, context: bytes)
  }
}

/// The steps of a layout's result after a revision, by the revision before each: of several from
/// the same one, the shortest that leads on to the present.
struct ContextPath {
  private let present: Int
  private var steps: [Int: Step] = [:]

  fileprivate enum Step {
    case stored(ContextRow)
    case followed(ContextStep)
  }

  /// Finds the steps to the present.
  ///
  /// - Parameters:
  ///   - result: The result's row.
  ///   - followed: Steps that are not stored yet, in order.
  ///   - revision: The revision from which to begin.
  /// - Throws: `StoreError` with `corrupt`; read errors.
  /// - Complexity: O(steps).
  init(
    of result: LayoutRow.Result, _ followed: [ContextStep], from revision: Int, to present: Int,
    _ reader: StoreReader
  ) throws {
    self.present = present
    let first = max(revision, result.historyBegin)
    var later = followed.filter { $0.start >= first && $0.end <= present }[...]
    try reader.forEachContext(in: result.space, from: first, upTo: present) { row in
      while let step = later.last, step.end >= row.end {
        add(.followed(step), from: step.start, to: step.end)
        later.removeLast()
      }
      add(.stored(row), from: row.start, to: row.end)
    }
    for step in later.reversed() { add(.followed(step), from: step.start, to: step.end) }
  }

  /// Adds a step, in descending order of ends.
  private mutating func add(_ step: Step, from start: Int, to end: Int) {
    if end == present || steps[end] != nil { steps[start] = step }
  }

  /// Returns the changes from a revision to the present; `nil` if no steps lead there.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func context(since revision: Int, path: String) throws -> InvalidationContext? {
    var (combined, next, count) = (InvalidationContext(), revision, 0)
    while next < present {
      guard let step = steps[next] else { return nil }
      let (end, context) = try step.read(path: path)
      combined.formCombination(with: context)
      // Both bounds hold unless the rows contradict each other.
      let size = combined.contentSizeAdjustment
      guard count < Budgets.composedOperations,
        max(size.width.units.magnitude, size.height.units.magnitude)
          <= Limits.contentLengthMax.units
      else { return .everything(.tooLarge) }
      (next, count) = (end, count + 1)
    }
    // A column may have changed in several steps.
    let columns = combined.sections.reduce(0) { sum, section in
      section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
    combined.work.recomputedColumns = min(combined.work.recomputedColumns, columns)
    return combined
  }
}

extension ContextPath.Step {
  fileprivate func read(path: String) throws -> (end: Int, InvalidationContext) {
    switch self {
    case .followed(let step): (step.end, step.context)
    case .stored(let row): (row.end, try row.decoded(path: path))
    }
  }
}

/// The contexts of a layout's steps of one commit each.
struct CommitContexts {
  private var stored: [Int: ContextRow] = [:]
  private var followed: [Int: InvalidationContext] = [:]

  /// - Throws: Read errors.
  init(
    of result: LayoutRow.Result, _ steps: [ContextStep], after revision: Int, upTo last: Int,
    _ reader: StoreReader
  ) throws {
    for step in steps where step.start == step.end - 1 { followed[step.end] = step.context }
    let first = max(revision, result.historyBegin)
    try reader.forEachContext(in: result.space, from: first, upTo: last) { row in
      if row.start == row.end - 1 { stored[row.end] = row }
    }
  }

  /// Returns the context of the commit that made a revision; `nil` if no step is that of this
  /// commit alone.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func context(of revision: Int, path: String) throws -> InvalidationContext? {
    try followed[revision] ?? stored[revision]?.decoded(path: path)
  }
}

extension ContextRow {
  /// - Throws: `StoreError` with `corrupt`.
  func decoded(path: String) throws -> InvalidationContext {
    do {
      return try InvalidationContext(encoded: context)
    } catch let error as ByteError {
      throw StoreError(.corrupt(detail: "context up to revision \(end): \(error)"), path: path)
    }
  }
}

extension InvalidationContext {
  /// The context with one range of items in each section.
  fileprivate var coarsened: InvalidationContext {
    var context = self
    context.isCoarse = true
    context.setItems { section in
      guard let first = section.items.ranges.first, let last = section.items.ranges.last else {
        return RangeSet()
      }
      return RangeSet(first.lowerBound..<last.upperBound)
    }
    return context
  }
}

// MARK: - Bytes

extension InvalidationContext {
  // form          u8: 1 counts, 2 coarse, 4 everything
  // reason        of everything: text
  // size          the changes of width and height, signed varints
  // work          items, columns, nodes: varints
  // changes       of sections: count varint, and for each: kind u8, index varint; of a move two
  // supplementary count varint, texts; decorations likewise
  // sections      count varint, and for each: index varint, start signed varint;
  //               items, columns: ranges; interval u8: 0 none, 1: start signed varint, length varint;
  //               supplementary, decorations as above
  // ranges        count varint, and for each: gap varint, count varint

  private static let lengthMax = Int64(1) << 52
  private static let countMax = Limits.itemsMax

  /// The context without the change of the content offset, which belongs to one client.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    let form: UInt8 = (invalidateDataSourceCounts ? 1 : 0) | (isCoarse ? 2 : 0)
    writer.writeUInt8(form | (reason == nil ? 0 : 4))
    if let reason { writer.write(text: reason.rawValue) }
    writer.write(contentSizeAdjustment.width)
    writer.write(contentSizeAdjustment.height)
    for count in [work.recomputedItems, work.recomputedColumns, work.changedNodes] {
      writer.writeCount(min(count, Self.countMax))
    }
    writer.writeCount(sectionChanges.count)
    for change in sectionChanges {
      switch change {
      case .insert(let index): writer.write([0, index])
      case .delete(let index): writer.write([1, index])
      case .move(let from, let to): writer.write([2, from, to])
      }
    }
    writer.write(supplementaryElements.map(\.rawValue))
    writer.write(Array(decorationElements))
    writer.writeCount(sections.count)
    for section in sections {
      writer.writeCount(section.section)
      writer.write(section.start)
      writer.write(section.items)
      writer.write(section.columns)
      writer.writeUInt8(section.interval == nil ? 0 : 1)
      if let interval = section.interval {
        writer.write(interval.lowerBound)
        writer.write(interval.upperBound - interval.lowerBound)
      }
      writer.write(section.supplementaryElements.map(\.rawValue))
      writer.write(Array(section.decorationElements))
    }
    return writer.bytes
  }

  /// - Throws: `ByteError`.
  init(encoded bytes: [UInt8]) throws {
    self.init()
    try ByteReader.read(bytes) { reader in
      let form = try reader.readUInt8()
      guard form < 8 else { throw reader.malformed("form of a context") }
      if form & 4 != 0 {
        reason = InvalidationReason(rawValue: try reader.readText(limit: 32))
        if reason == nil { throw reader.malformed("reason") }
      }
      contentSizeAdjustment = Size(
        width: try reader.readLength(), height: try reader.readLength())
      work = LayoutWork(
        recomputedItems: try reader.readCount(limit: Self.countMax),
        recomputedColumns: try reader.readCount(limit: Self.countMax),
        changedNodes: try reader.readCount(limit: Self.countMax))
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 2)) {
        append(try reader.readSectionChange())
      }
      invalidateDataSourceCounts = form & 1 != 0
      isCoarse = form & 2 != 0
      supplementaryElements = Set(
        try reader.readNames().map({ LayoutAttributes.SupplementaryKind(rawValue: $0) }))
      decorationElements = Set(try reader.readNames())
      var last = -1
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 7)) {
        let section = try reader.readSection(after: last)
        last = section.section
        invalidate(section)
      }
      try reader.expectEnd()
    }
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ length: Length) { writeSignedVarint(length.units) }

  fileprivate mutating func write(_ numbers: [Int]) {
    for number in numbers { writeCount(number) }
  }

  fileprivate mutating func write(_ names: [String]) {
    writeCount(names.count)
    for name in names.sorted() { write(text: name) }
  }

  fileprivate mutating func write(_ set: RangeSet<Int>) {
    writeCount(set.ranges.count)
    var end = 0
    for range in set.ranges {
      writeCount(range.lowerBound - end)
      writeCount(range.count)
      end = range.upperBound
    }
  }
}

extension ByteReader {
  fileprivate mutating func readLength() throws(ByteError) -> Length {
    let units = try readSignedVarint()
    guard (-1 << 52...1 << 52).contains(units) else { throw malformed("length") }
    return Length(units: units)
  }

  fileprivate mutating func readSectionChange() throws(ByteError) -> SectionChange {
    let (kind, index) = (try readUInt8(), try readCount(limit: Limits.sectionsMax))
    switch kind {
    case 0: return .insert(index)
    case 1: return .delete(index)
    case 2: return .move(from: index, to: try readCount(limit: Limits.sectionsMax))
    default: throw malformed("change of a section")
    }
  }

  fileprivate mutating func readNames() throws(ByteError) -> [String] {
    var names: [String] = []
    for _ in 0..<(try readCount(limit: .max, sizeMin: 1)) {
      names.append(try readText(limit: Limits.nameBytesMax))
    }
    return names
  }

  fileprivate mutating func readRanges() throws(ByteError) -> RangeSet<Int> {
    var (set, end) = (RangeSet<Int>(), 0)
    for _ in 0..<(try readCount(limit: .max, sizeMin: 2)) {
      let start = end + (try readCount(limit: Limits.itemsMax - end))
      end = start + (try readCount(limit: Limits.itemsMax - start))
      set.insert(contentsOf: start..<end)
    }
    return set
  }

  fileprivate mutating func readSection(after last: Int) throws(ByteError) -> SectionInvalidation {
    let index = try readCount(limit: Limits.sectionsMax)
    guard index > last else { throw malformed("order of sections") }
    var section = SectionInvalidation(section: index, start: try readLength())
    (section.items, section.columns) = (try readRanges(), try readRanges())
    if try readUInt8() != 0 {
      let (start, length) = (try readLength(), try readLength())
      guard length >= .zero else { throw malformed("interval") }
      section.interval = start..<(start + length)
    }
    section.supplementaryElements = Set(
      try readNames().map({ LayoutAttributes.SupplementaryKind(rawValue: $0) }))
    section.decorationElements = Set(try readNames())
    return section
  }
}
