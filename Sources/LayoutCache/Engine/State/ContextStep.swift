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

  /// The row of the step.
  func row(in space: NodeSpace) -> ContextRow {
    ContextRow(space: space, start: start, end: end, context: context.stored)
  }
}

/// The contexts of a commit, in the encoding of its log row.
struct ContextWriter {
  // for each result: space varint; context: count varint, bytes
  private(set) var bytes: [UInt8] = []

  mutating func add(_ context: InvalidationContext, of layout: LayoutState) {
    guard let space = layout.row.result?.space else { return }
    var writer = ByteWriter()
    writer.writeVarint(UInt64(space.rawValue))
    writer.writeCounted(context.stored)
    bytes = bytes.isEmpty ? writer.bytes : bytes + writer.bytes
  }
}

/// The steps of a layout's result after a revision.
struct ContextPath {
  private let present: Int
  /// The steps in descending order of ends, a commit's before others with the same end.
  private var all: [Step] = []

  private struct Step {
    let start: Int
    let end: Int
    /// The context, or its encoding.
    var context: InvalidationContext?
    var bytes: [UInt8] = []

    func read(path: String) throws -> InvalidationContext {
      if let context { return context }
      do {
        return try InvalidationContext(encoded: bytes)
      } catch let error as ByteError {
        throw StoreError(.corrupt(detail: "context up to revision \(end): \(error)"), path: path)
      }
    }
  }

  /// Finds the steps after a revision.
  ///
  /// - Parameters:
  ///   - result: The result's row.
  ///   - followed: Steps that are not stored yet.
  ///   - logged: The contexts of the commits after the revision.
  ///   - head: The head of the log, to which they lead.
  /// - Throws: `StoreError` with `corrupt`; read errors.
  /// - Complexity: O(commits and steps since the revision).
  init(
    of result: LayoutRow.Result, _ followed: [ContextStep], _ logged: [LoggedContexts],
    after revision: Int, upTo head: LogHead, _ reader: StoreReader
  ) throws {
    present = head.revision
    let first = max(revision, result.historyBegin)
    for step in followed where step.start >= first && step.end <= head.revision {
      all.append(Step(start: step.start, end: step.end, context: step.context))
    }
    try reader.forEachContext(in: result.space, from: first, upTo: head.revision) { row in
      all.append(Step(start: row.start, end: row.end, bytes: row.context))
    }
    for logged in logged where logged.revision > first {
      if let context = try logged.context(in: result.space, path: reader.path) {
        all.append(Step(start: logged.revision - 1, end: logged.revision, bytes: context))
      }
    }
    all.sort { ($0.end, $0.start) > ($1.end, $1.start) }
  }

  /// Calls `body` with the number of revisions of each step, the last one, and the context.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func forEachStep(path: String, _ body: (Int, Int, InvalidationContext) -> Void) throws {
    for step in all { body(step.end - step.start, step.end, try step.read(path: path)) }
  }

  /// Returns the changes from a revision to the present; `nil` if no steps lead there.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func context(since revision: Int, path: String) throws -> InvalidationContext? {
    // Of several steps from the same revision, the shortest that leads on to the present.
    var steps: [Int: Step] = [:]
    for step in all where step.end == present || steps[step.end] != nil { steps[step.start] = step }
    var (combined, next, count) = (InvalidationContext(), revision, 0)
    while next < present {
      guard let step = steps[next] else { return nil }
      combined.formCombination(with: try step.read(path: path))
      // Both bounds hold unless the rows contradict each other.
      let size = combined.contentSizeAdjustment
      guard count < Budgets.composedOperations,
        max(size.width.units.magnitude, size.height.units.magnitude)
          <= Limits.contentLengthMax.units
      else { return .everything(.tooLarge) }
      (next, count) = (step.end, count + 1)
    }
    // A column may have changed in several steps.
    let columns = combined.sections.reduce(0) { sum, section in
      section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
    combined.work.recomputedColumns = min(combined.work.recomputedColumns, columns)
    return combined
  }
}

extension InvalidationContext {
  /// The maximum size of a stored context, in bytes.
  private static let storedBytesMax = 4096

  /// The encoding in the file. A longer context names one range of items in each section; one that
  /// is still too long is `everything`.
  fileprivate var stored: [UInt8] {
    var bytes = encoded
    if bytes.count > Self.storedBytesMax { bytes = coarsened.encoded }
    if bytes.count > Self.storedBytesMax { bytes = Self.everything(.tooLarge).encoded }
    return bytes
  }

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
  //               items, columns: ranges; interval u8: 0 none, 1: both ends, signed varints;
  //               supplementary, decorations as above
  // ranges        count varint, and for each: gap varint, count varint

  private static let countMax = Limits.itemsMax

  /// The context without the change of the content offset, which belongs to one client.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    let form: UInt8 = (invalidateDataSourceCounts ? 1 : 0) | (isCoarse ? 2 : 0)
    writer.writeUInt8(form | (reason == nil ? 0 : 4))
    if let reason { writer.write(text: reason.rawValue) }
    writer.write(contentSizeAdjustment.width)
    writer.write(contentSizeAdjustment.height)
    writer.writeCount(min(work.recomputedItems, Self.countMax))
    writer.writeCount(min(work.recomputedColumns, Self.countMax))
    writer.writeCount(min(work.changedNodes, Self.countMax))
    writer.writeCount(sectionChanges.count)
    for change in sectionChanges {
      switch change {
      case .insert(let index): writer.write([0, index])
      case .delete(let index): writer.write([1, index])
      case .move(let from, let to): writer.write([2, from, to])
      }
    }
    writer.write(
      { supplementaryElements.map(\.rawValue) }, unless: supplementaryElements.isEmpty)
    writer.write({ Array(decorationElements) }, unless: decorationElements.isEmpty)
    writer.writeCount(sections.count)
    for section in sections {
      writer.writeCount(section.section)
      writer.write(section.start)
      writer.write(section.items)
      writer.write(section.columns)
      writer.writeUInt8(section.interval == nil ? 0 : 1)
      if let interval = section.interval {
        writer.write(interval.lowerBound)
        writer.write(interval.upperBound)
      }
      writer.write(
        { section.supplementaryElements.map(\.rawValue) },
        unless: section.supplementaryElements.isEmpty)
      writer.write(
        { Array(section.decorationElements) }, unless: section.decorationElements.isEmpty)
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

extension Length {
  /// The bound of lengths in contexts, so that no sum of two overflows.
  fileprivate static let contextMax: Int64 = 1 << 52
}

extension ByteWriter {
  /// Only the intervals of transforms may be longer, which reach beyond all content.
  fileprivate mutating func write(_ length: Length) {
    writeSignedVarint(max(-Length.contextMax, min(Length.contextMax, length.units)))
  }

  fileprivate mutating func write(_ numbers: [Int]) {
    for number in numbers { writeCount(number) }
  }

  /// Each commit has contexts, mostly without names.
  fileprivate mutating func write(_ names: () -> [String], unless isEmpty: Bool) {
    if isEmpty { return writeCount(0) }
    let names = names().sorted()
    writeCount(names.count)
    for name in names { write(text: name) }
  }

  fileprivate mutating func write(_ set: RangeSet<Int>) {
    let ranges = set.ranges
    writeCount(ranges.count)
    var end = 0
    // Its iterator takes several times as long.
    for index in ranges.indices {
      let range = ranges[index]
      writeCount(range.lowerBound - end)
      writeCount(range.count)
      end = range.upperBound
    }
  }
}

extension ByteReader {
  fileprivate mutating func readLength() throws(ByteError) -> Length {
    let units = try readSignedVarint()
    guard (-Length.contextMax...Length.contextMax).contains(units) else {
      throw malformed("length")
    }
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
      names.append(try readText(limit: Int(UInt16.max)))
    }
    return names
  }

  fileprivate mutating func readRanges() throws(ByteError) -> RangeSet<Int> {
    var (set, end) = (RangeSet<Int>(), 0)
    for number in 0..<(try readCount(limit: .max, sizeMin: 2)) {
      let start = end + (try readCount(limit: Limits.itemsMax - end))
      end = start + (try readCount(limit: Limits.itemsMax - start))
      // Mostly the only one: an insertion takes several times as long.
      if number == 0 { set = RangeSet(start..<end) } else { set.insert(contentsOf: start..<end) }
    }
    return set
  }

  fileprivate mutating func readSection(after last: Int) throws(ByteError) -> SectionInvalidation {
    let index = try readCount(limit: Limits.sectionsMax)
    guard index > last else { throw malformed("order of sections") }
    var section = SectionInvalidation(section: index, start: try readLength())
    (section.items, section.columns) = (try readRanges(), try readRanges())
    if try readUInt8() != 0 {
      let (start, end) = (try readLength(), try readLength())
      guard start <= end else { throw malformed("interval") }
      section.interval = start..<end
    }
    section.supplementaryElements = Set(
      try readNames().map({ LayoutAttributes.SupplementaryKind(rawValue: $0) }))
    section.decorationElements = Set(try readNames())
    return section
  }
}
