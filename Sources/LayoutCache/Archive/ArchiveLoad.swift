import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Builds the dataset of an archive in unpublished spaces, in constant memory except for its
/// marks and layouts, and publishes it.
struct ArchiveLoad {
  private let store: Store
  private let shapes: TreeShapes
  /// The memory for sorting keys, in bytes.
  private let sortBytesMax: Int
  private let kinds: CustomKinds
  private let spaces: ArchiveSpaces
  private let reader: ArchiveReader
  private let head: ArchiveHead
  /// The space for the dataset's trees.
  private let filler: SpaceFiller
  private var dataset: DatasetRow
  private var views: [ViewRow] = []
  private var marks: [MarkRow] = []
  private var layouts: [LayoutRow] = []
  /// The definitions of the layouts, oldest first.
  private var definitions: [DefinitionRow] = []
  /// The measured lengths of the layouts' headers and footers.
  private var measured: [Int64: SupplementaryLengths] = [:]
  private(set) var summary: ArchiveSummary

  /// The number of requests stored per transaction.
  private static let requestCount = 512

  /// Reads the head.
  ///
  /// - Parameters:
  ///   - name: The dataset's name, which may differ from the original one.
  ///   - spaces: The spaces to fill; the caller reclaims them if anything throws.
  ///   - next: Returns the archive's next chunk; `nil` after the last.
  /// - Throws: ``ReplicationError``; the errors of `next`; ``LayoutCacheError``.
  init(
    as name: String, into spaces: ArchiveSpaces, of store: Store, _ shapes: TreeShapes,
    sortBytesMax: Int, kinds: CustomKinds, next: @escaping () throws -> [UInt8]?
  ) throws {
    (self.store, self.kinds, self.spaces) = (store, kinds, spaces)
    (self.shapes, self.sortBytesMax) = (shapes, sortBytesMax)
    reader = try ArchiveReader {
      try spaces.touchIfDue()
      return try next()
    }
    head = try reader.read(.head) { try ArchiveHead(from: &$0) }
    let filler = try spaces.makeFiller()
    self.filler = filler
    dataset = DatasetRow(
      id: try spaces.makeDataset(), name: name, space: filler.space, nextNode: 1,
      revision: head.revision, sectionCount: head.sectionCount, itemCount: head.itemCount,
      roots: [], incarnation: head.incarnation)
    summary = ArchiveSummary(
      revision: head.revision, sectionCount: head.sectionCount, itemCount: head.itemCount,
      historyCount: 0, byteCount: 0, digest: [])
  }

  /// Reads the remaining records, and builds the dataset.
  ///
  /// - Throws: As the initializer; ``LayoutCacheError`` with `configuration` for a kind of section
  ///   that this process does not know, or with `cannotLayOut` if that kind can't place an item.
  mutating func build() throws {
    try reader.readAll(.view) { bytes in
      let view = try ViewRow(from: &bytes, dataset: dataset.id)
      guard views.last.map({ $0.name.utf8.lexicographicallyPrecedes(view.name.utf8) }) ?? true,
        views.count < Budgets.views
      else { throw bytes.malformed("views") }
      views.append(view)
    }
    try readMarks()
    try readRequests()
    let histories = try readLayouts()
    var trees = try reader.readTrees(
      head, into: filler, of: store, shapes, sortBytesMax: sortBytesMax)
    trees.layoutLengths = measured
    dataset.nextNode = filler.next
    dataset.roots = trees.encodedRoots
    for (index, history) in histories {
      layouts[index].result = try refusingArchive {
        try buildLayout(index, history, of: trees)
      }
    }
    summary.historyCount = histories.count
    summary.digest = try reader.finish()
    summary.byteCount = reader.byteCount
  }

  private mutating func readMarks() throws {
    try reader.readAll(.mark) { bytes in
      let mark = try MarkRow(from: &bytes, dataset: dataset.id)
      guard marks.last.map({ $0.source.utf8.lexicographicallyPrecedes(mark.source.utf8) }) ?? true
      else { throw bytes.malformed("order of marks") }
      marks.append(mark)
      try Limits.check(marks.count, in: 0...Limits.marksMax, as: "sources")
    }
  }

  private func readRequests() throws {
    var pending: [RequestRow] = []
    try reader.readAll(.request) { bytes in
      pending.append(try RequestRow(from: &bytes, dataset: dataset.id))
      guard pending.count == Self.requestCount else { return }
      try spaces.put(pending)
      pending.removeAll()
    }
    if !pending.isEmpty { try spaces.put(pending) }
  }

  /// - Returns: The histories that follow, with the index of each one's layout.
  private mutating func readLayouts() throws -> [(index: Int, ArchiveLayout.History)] {
    var histories: [(index: Int, ArchiveLayout.History)] = []
    var names: Set<ExactKey> = []
    try reader.readAll(.layout) { bytes in
      let layout = try ArchiveLayout(from: &bytes)
      guard layouts.last.map({ $0.id < layout.id }) ?? true,
        names.insert(ExactKey(layout.name)).inserted,
        layout.template != 0
          || layout.definitions.first?.configuration.isExactly(layout.configuration) ?? true
      else { throw bytes.malformed("layouts") }
      _ = try ConfigurationText.decode(layout.configuration)
      definitions += layout.definitions.reversed()
      if layout.measured != .none { measured[layout.id] = layout.measured }
      if let history = layout.history { histories.append((layouts.count, history)) }
      var row = LayoutRow(
        id: layout.id, dataset: dataset.id, name: layout.name,
        configuration: layout.configuration, result: nil)
      row.template = layout.template == 0 ? nil : layout.template
      layouts.append(row)
    }
    return histories
  }

  /// Builds a layout's result from its history, in a separate space.
  private func buildLayout(
    _ index: Int, _ history: ArchiveLayout.History, of trees: DatasetTrees
  ) throws -> LayoutRow.Result {
    let id = layouts[index].id
    let undo = try reader.read(.history) { bytes in
      guard try bytes.readLayoutID() == id else { throw bytes.malformed("layout of a history") }
      return try bytes.readCounted(limit: 2 * UndoStack.bytesMax)
    }
    _ = try refusingArchive { try UndoStack(undo, at: head.revision) }
    let measured = measured[id] ?? SupplementaryLengths.none
    let plan = try LayoutPlan(ConfigurationText.decode(history.configuration), custom: kinds)
      .measured(measured)
    let filler = try spaces.makeFiller()
    let builder = LayoutBuilder(
      plan: plan, view: ItemView(layout: id, space: plan.space), shapes: shapes,
      session: TreeSession(PooledNodes(store: store), keepsNodes: false), sink: filler,
      history: reader.history)
    var work = LayoutWork()
    let results = try layingOut(LayoutID(layouts[index].name, of: dataset.name)) {
      try builder.layOut(trees, work: &work)
    }
    try reader.endSection()
    try filler.flush()
    return LayoutRow.Result(
      space: filler.space, nextNode: filler.next, revision: head.revision,
      root: results.encodedRoot(measured: measured), configuration: history.configuration,
      incarnation: history.incarnation, rules: LayoutRules.version, undo: undo)
  }

  /// Publishes the dataset under its name, replacing an existing one.
  ///
  /// - Parameter replacing: Whether a dataset of the name may exist.
  /// - Returns: The row.
  /// - Throws: ``LayoutCacheError`` with `datasetExists`; ``ReplicationError``; the errors of writing.
  func publish(replacing: Bool, _ writer: StoreWriter) throws -> DatasetRow {
    if let old = try writer.reader.dataset(named: dataset.name) {
      guard replacing else { throw LayoutCacheError(.datasetExists(dataset.name)) }
      try writer.delete(old)
    }
    for layout in layouts where try writer.reader.layout(id: layout.id) != nil {
      throw ReplicationError.unreadableArchive(
        "layout ID \(layout.id) of the archive belongs to another dataset in this database")
    }
    try spaces.keep(writer)
    try writer.put(dataset)
    // No log entry leads to it: the totals of its log begin here.
    try writer.put(
      LogHead(dataset: dataset.id, revision: head.revision, time: head.time, total: .none))
    for mark in marks { try writer.put(mark) }
    for layout in layouts { try writer.put(layout) }
    // Other nodes may use them.
    let now = spaces.now()
    for layout in layouts where LayoutID(layout.name, of: dataset.name).mayBeVariant {
      try writer.put(VariantRow(layout: layout.id, created: now, used: now))
    }
    for view in views { try writer.put(view) }
    for definition in definitions {
      try writer.append(definition, of: dataset.id, keeping: Budgets.definitions)
    }
    return dataset
  }
}
