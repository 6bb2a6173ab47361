import CollectionLayout
import LayoutStore
import SumTree

/// Writes an archive of a dataset, in constant memory except for bringing its layouts up to date.
struct ArchiveExport {
  private let state: DatasetState
  private let layouts: [ArchiveLayout]
  private let reader: StoreReader
  private let session: TreeSession
  private let withIncarnation: Bool
  private var writer: ArchiveWriter

  /// - Parameters:
  ///   - reader: A reader of the file's state `state`.
  ///   - chunkBytes: The bytes of each chunk except the last.
  ///   - withIncarnation: Whether to write the dataset's incarnation, or 0.
  ///   - chunk: Receives the archive.
  /// - Throws: ``LayoutCacheError`` with `database` if a layout is damaged whose history must
  ///   be written, or with `configuration` if this process does not know its kind; the errors
  ///   of reading.
  init(
    of state: DatasetState, _ reader: StoreReader, kinds: CustomKinds, chunkBytes: Int,
    withIncarnation: Bool, chunk: @escaping ([UInt8]) throws -> Void
  ) throws {
    var state = state
    layouts = try state.bringHistories(reader, kinds: kinds)
    self.state = state
    self.reader = reader
    self.withIncarnation = withIncarnation
    session = TreeSession(reader, keepsNodes: false)
    writer = try ArchiveWriter(chunkBytes: chunkBytes, chunk: chunk)
  }

  /// Writes the whole archive.
  ///
  /// - Throws: The errors of reading and of `chunk`.
  mutating func run() throws -> ArchiveSummary {
    var head = ArchiveHead(state)
    if !withIncarnation { head.incarnation = HistoryNumber(rawValue: 0) }
    try writer.write(.head) { head.encode(into: &$0) }
    for view in try reader.views(of: state.row.id) {
      try writer.write(.view) { view.encode(into: &$0) }
    }
    for mark in try reader.marks(of: state.row.id) {
      try writer.write(.mark) { mark.encode(into: &$0) }
    }
    try reader.forEachRequest(
      to: state.row.id, after: reader.requestTime(of: state) - Budgets.requestMilliseconds
    ) { request in
      try writer.write(.request) { request.encode(into: &$0) }
    }
    for var layout in layouts {
      layout.definitions = try reader.definitions(of: layout.id)
      layout.measured = state.trees.layoutLengths[layout.id] ?? .none
      try writer.write(.layout) { layout.encode(into: &$0) }
    }
    try writer.write(state.trees, measuredIn: Set(layouts.map(\.id)), in: session)
    for layout in layouts where layout.history != nil { try writeHistory(of: layout.id) }
    let (byteCount, digest) = try writer.finish()
    return ArchiveSummary(
      revision: head.revision, sectionCount: head.sectionCount, itemCount: head.itemCount,
      historyCount: layouts.count { $0.history != nil }, byteCount: byteCount, digest: digest)
  }

  private mutating func writeHistory(of id: Int64) throws {
    guard let layout = state.layouts[id] else { return }
    let undo = layout.undo.encoded(at: state.revision)
    try writer.write(.history) {
      $0.writeVarint(UInt64(id))
      $0.writeCounted(undo)
    }
    var sections = ElementFinger(state.trees.sections, from: SectionPosition(), in: session)
    try layout.results.forEachLeaf(in: session) { leaf, start in
      for (offset, result) in leaf.entries.enumerated() {
        guard try sections.seek(toElement: start + offset) else { return }
        let entry = sections.leaf.entries[sections.index]
        let count = try state.trees.placedCount(of: entry, from: sections.before.item, session)
        guard result.content.itemCount == count else {
          throw Damage(detail: "section \(start + offset) has another item count")
        }
        guard entry.itemCount > 0,
          case .atOnce(let placing) = layout.plan.section(entry.key, style: entry.style).kind
            .placing.following
        else { continue }
        try writeSection(result.content, placing)
      }
    }
  }

  private mutating func writeSection(
    _ content: SectionContent, _ placing: WaterfallPlan
  ) throws {
    let kept = try placing.kept(of: content, state.shapes)
    try writer.write(.section) { kept.state.encode(into: &$0) }
    var columns: [UInt8] = []
    try kept.tree.forEachLeaf(in: session) { leaf, _ in
      columns += leaf.columns
      guard columns.count >= ArchiveRecord.columnCount else { return }
      try writer.write(.columns) { $0.writeBytes(columns.prefix(ArchiveRecord.columnCount)) }
      columns.removeFirst(ArchiveRecord.columnCount)
    }
    if !columns.isEmpty { try writer.write(.columns) { $0.writeBytes(columns) } }
  }
}

extension DatasetState {
  /// Activates the layouts whose results do not follow from the items.
  ///
  /// - Returns: All layouts, by ID. A layout that must be laid out from scratch, or can't
  ///   follow, has no history.
  fileprivate mutating func bringHistories(
    _ reader: StoreReader, kinds: CustomKinds
  ) throws -> [ArchiveLayout] {
    try reader.layouts(of: row.id).sorted { $0.id < $1.id }.map { layout in
      guard try hasHistory(layout, reader, kinds: kinds) else {
        return ArchiveLayout(layout, history: nil)
      }
      switch try bring(layout.name, mayLag: true, reader: reader, kinds: kinds) {
      case .ready: break
      case .needsLayout, .behindCheckpoint: return ArchiveLayout(layout, history: nil)
      case .damaged(let detail):
        throw LayoutCacheError.damaged(id(ofLayout: layout.name), detail)
      case .rejected(let error):
        guard case .cannotLayOut = error.code else { throw error }
        return ArchiveLayout(layout, history: nil)
      }
      let history = layout.result.map {
        ArchiveLayout.History(configuration: $0.configuration, incarnation: $0.incarnation)
      }
      return ArchiveLayout(layout, history: history)
    }
  }

  /// Returns whether a layout has a result that does not follow from the items.
  private func hasHistory(
    _ layout: LayoutRow, _ reader: StoreReader, kinds: CustomKinds
  ) throws -> Bool {
    guard layout.hasReadableResult, let result = layout.result else { return false }
    do {
      return try layout.plan(of: result.configuration, reader, kinds: kinds).hasHistory
    } catch is LayoutCacheError where layout.isOutdated {
      // As in ``bring(_:mayLag:reader:kinds:lagMax:)``: it will be laid out again.
      return false
    }
  }
}
