import CollectionLayout
import LayoutStore
import SumTree
import Synchronization

/// The results that are only in memory, for clients that scroll in them: previews that took a pass,
/// views, and layouts that are not stored. The least recently used are released.
final class TemporaryResults: Sendable {
  private enum Entry {
    case preview(PreviewRequest, of: LayoutSnapshot, LayoutPreview)
    case view(ViewResults)

    var byteCount: Int {
      switch self {
      case .preview(_, _, let preview): preview.placedCount * Budgets.itemBytes
      case .view(let results): results.byteCount
      }
    }
  }

  /// The least recently used first.
  private let entries = Mutex<[Entry]>([])

  /// Returns the preview of a snapshot, if it is in memory.
  func preview(_ request: PreviewRequest, of base: LayoutSnapshot) -> LayoutPreview? {
    use {
      guard case .preview(request, let other, let preview) = $0, other.isOfResult(of: base),
        other.layoutDirection == base.layoutDirection
      else { return nil }
      return preview
    }
  }

  /// Retains a preview, at the cost of those of the dataset's other states, then of others.
  func keep(_ preview: LayoutPreview, of base: LayoutSnapshot, for request: PreviewRequest) {
    entries.withLock { entries in
      entries.removeAll {
        guard case .preview(_, let other, _) = $0 else { return false }
        return other.datasetID == base.datasetID && !other.isOfState(of: base)
      }
      entries.append(.preview(request, of: base, preview))
      Self.shrink(&entries)
    }
  }

  /// Releases previews, and the nodes that were read from the file.
  func unload() {
    entries.withLock { entries in
      entries = entries.compactMap {
        switch $0 {
        case .preview: nil
        case .view(let results): .view(results.unloaded())
        }
      }
    }
  }

  /// Returns what is in memory of a view of a snapshot's dataset, perhaps at another revision.
  func results(of view: DatasetView, in base: LayoutSnapshot) -> ViewResults? {
    use {
      guard case .view(var results) = $0, results.isOf(view, in: base) else { return nil }
      results.use(base.layoutID)
      $0 = .view(results)
      return results
    }
  }

  /// Returns the list of keys with a digest, of a view of a dataset, if it is in memory.
  func list(with digest: Int64, of dataset: HistoryNumber) -> KeyList? {
    entries.withLock { entries in
      for case .view(let results) in entries where results.dataset == dataset {
        // A list of another dataset may have been made to have the same digest.
        if let list = results.items.view.list, list.digest == digest { return list }
      }
      return nil
    }
  }

  /// Retains results of a view, unless later ones are known, at the cost of others.
  func keep(_ results: ViewResults, of base: LayoutSnapshot) {
    entries.withLock { entries in
      let known = entries.firstIndex {
        guard case .view(let known) = $0 else { return false }
        return known.isOf(results.items.view, in: base)
      }
      var results = results
      if let known, case .view(let present) = entries.remove(at: known) {
        results = present.joined(with: results)
      }
      entries.append(.view(results))
      Self.shrink(&entries)
    }
  }

  /// Finds an entry, and makes it the most recently used one.
  private func use<Found>(_ found: (inout Entry) -> Found?) -> Found? {
    entries.withLock { entries in
      for index in entries.indices.reversed() {
        guard let found = found(&entries[index]) else { continue }
        entries.append(entries.remove(at: index))
        return found
      }
      return nil
    }
  }

  private static func shrink(_ entries: inout [Entry]) {
    var bytes = entries.reduce(0) { $0 + $1.byteCount }
    // The last one stays: otherwise each read of it would take a pass.
    while entries.count > 1,
      entries.count > Budgets.temporaryResults || bytes > Budgets.temporaryBytes
    {
      bytes -= entries.removeFirst().byteCount
    }
  }
}

/// The items of a view, and the layouts of the dataset in which they were shown; for layouts that are
/// not stored also all items.
struct ViewResults: Sendable {
  private(set) var items: ViewItems
  /// The incarnation of the dataset, and the name that answers have.
  fileprivate let dataset: HistoryNumber
  private let name: String
  /// By the layouts' IDs, the last states of each. It follows when it is next requested.
  private var layouts: [Int64: [LayoutSnapshot]] = [:]
  /// The IDs, the least recently used first.
  private(set) var uses: [Int64] = []
  /// The last changes of the items, and the revisions that they lead to.
  private var steps: [(revision: Int, batch: LoggedBatch)] = []
  /// The revision before ``steps``.
  private var begin: Int

  init(_ items: ViewItems, of base: LayoutSnapshot) {
    (self.items, dataset, begin) = (items, base.datasetIncarnation, items.revision)
    name = base.layout.dataset
  }

  /// The approximate memory, in bytes.
  var byteCount: Int {
    let placedBytes = items.trees.items.count * Budgets.placedItemBytes
    let placed = layouts.values.reduce(0) {
      $0 + placedBytes + copiedBytes(of: placedBytes, in: $1.count - 1)
    }
    return items.byteCount + copiedBytes(of: items.byteCount, in: Budgets.viewStates) + placed
  }

  /// The bytes of nodes of former states: an operation copies some of those before it.
  private func copiedBytes(of byteCount: Int, in stateCount: Int) -> Int {
    steps.suffix(stateCount).reduce(0) {
      $0 + min($1.batch.operations.count * Budgets.copiedBytes, byteCount)
    }
  }

  /// Returns the results without the nodes that were read from the file.
  fileprivate func unloaded() -> ViewResults {
    guard items.view.isWhole else { return self }
    var own = self
    own.items.unload()
    own.layouts = layouts.mapValues { $0.map(\.unloaded) }
    return own
  }

  func isOf(_ view: DatasetView, in base: LayoutSnapshot) -> Bool {
    dataset == base.datasetIncarnation && name.isExactly(base.layout.dataset)
      && items.view == view
  }

  /// Returns the later of two results of one view, with the layouts of both if they are of one
  /// revision.
  fileprivate func joined(with other: ViewResults) -> ViewResults {
    guard items.revision == other.items.revision else {
      return items.revision > other.items.revision ? self : other
    }
    var joined = other
    joined.layouts.merge(layouts) { $0.last?.revision ?? 0 < $1.last?.revision ?? 0 ? $1 : $0 }
    joined.uses = uses.filter { !joined.uses.contains($0) } + joined.uses
    joined.shrink()
    return joined
  }

  fileprivate mutating func use(_ layout: Int64) {
    guard uses.last != layout, let index = uses.lastIndex(of: layout) else { return }
    uses.append(uses.remove(at: index))
  }

  /// Releases the least recently used layouts, but for the last one.
  private mutating func shrink() {
    while uses.count > 1,
      uses.count > Budgets.temporaryResults || byteCount > Budgets.temporaryBytes
    {
      layouts[uses.removeFirst()] = nil
    }
  }

  /// Brings the items to the revision of a later snapshot of their dataset.
  ///
  /// - Returns: `false` if the view must be built again. The value is then unusable.
  mutating func follow(
    to base: LayoutSnapshot, _ reader: StoreReader, _ session: TreeSession
  ) throws -> Bool {
    let batch = try items.follow(
      to: base.trees, of: base.datasetID, at: base.revision, reader, session)
    guard let batch else { return false }
    steps.append((items.revision, batch))
    if steps.count > Budgets.viewSteps { begin = steps.removeFirst().revision }
    return true
  }

  /// Reads all items from the nodes of a snapshot at the same revision: a checkpoint may have deleted
  /// those that were known.
  mutating func read(from base: LayoutSnapshot) { items.read(from: base.trees) }

  /// Returns the view in the layout of a snapshot at a revision, or at that of the items, if it is
  /// known.
  func layout(of base: LayoutSnapshot, at revision: Int? = nil) -> LayoutSnapshot? {
    let known = known(in: base).last { $0.revision == revision ?? items.revision }
    guard items.view.isWhole, let known, known.revision == base.revision else { return known }
    return LayoutSnapshot(
      of: base, trees: items.trees, plan: known.plan, results: known.results,
      carouselOffsets: base.carouselOffsets, as: base.identity(of: items))
  }

  /// Returns what is known of the view in the layout of a snapshot, at revisions from which it can
  /// follow.
  private func known(in base: LayoutSnapshot) -> [LayoutSnapshot] {
    let incarnation = Incarnation(base.identity(of: items).result)
    // Of results that were joined, others may have stepped elsewhere.
    return (layouts[base.layoutID] ?? []).filter { known in
      (known.revision == begin || steps.contains { $0.revision == known.revision })
        && known.resultIncarnation == incarnation && known.layout == base.layout
    }
  }

  /// Returns the changes of the items and of the layout of a snapshot since a revision.
  ///
  /// - Returns: `nil` if that state is not known.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; ``ExceedsCommit``, ``Damage``.
  func changes(
    since revision: Int, in base: LayoutSnapshot, _ session: TreeSession
  ) throws -> (updates: DatasetUpdates, context: InvalidationContext)? {
    guard let known = layout(of: base, at: revision) else { return nil }
    let (batch, following) = try following(
      known, in: base, placing: base.shapes.committedMax, session)
    return (try batch.updates(), following.context)
  }

  /// Returns the view in the layout of a snapshot at the same revision.
  ///
  /// - Parameters:
  ///   - itemsMax: The maximum number of items to place.
  ///   - session: Reads the dataset.
  /// - Returns: `nil` if more would be placed.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; read errors.
  mutating func show(
    in base: LayoutSnapshot, placing itemsMax: Int, _ session: TreeSession
  ) throws -> LayoutSnapshot? {
    if let known = layout(of: base) { return known }
    let followed = try follow(in: base, placing: itemsMax, session)
    let shown = try followed ?? layOut(in: base, placing: itemsMax, session)
    if let shown {
      // Nodes are shared with states that are followed, and no others lead here.
      let former = followed == nil ? [] : known(in: base).suffix(Budgets.viewStates - 1)
      layouts[base.layoutID] = former + [shown]
      uses.removeAll { $0 == base.layoutID }
      uses.append(base.layoutID)
      shrink()
    }
    return shown
  }

  private func follow(
    in base: LayoutSnapshot, placing itemsMax: Int, _ session: TreeSession
  ) throws -> LayoutSnapshot? {
    do {
      return try known(in: base).last.map {
        try following($0, in: base, placing: itemsMax, session).result.snapshot
      }
    } catch is ExceedsCommit { return nil }
  }

  /// Returns the changes since an earlier state, and what follows from them.
  private func following(
    _ known: LayoutSnapshot, in base: LayoutSnapshot, placing itemsMax: Int, _ session: TreeSession
  ) throws -> (batch: LoggedBatch, result: (snapshot: LayoutSnapshot, context: InvalidationContext))
  {
    let operations = steps.filter { $0.revision > known.revision }.flatMap(\.batch.operations)
    let batch = LoggedBatch(operations: operations)
    var identity = base.identity(of: items)
    identity.elementCountMax = known.elementCountMax + batch.insertedCount
    return try (
      batch,
      known.following(batch, items.trees, as: identity, of: base, placing: itemsMax, in: session)
    )
  }

  private func layOut(
    in base: LayoutSnapshot, placing itemsMax: Int, _ session: TreeSession
  ) throws -> LayoutSnapshot? {
    if items.trees.items.count > itemsMax { return nil }
    var work = LayoutWork()
    return try base.laidOut(
      items.trees, base.exactPlan, as: base.identity(of: items), work: &work, in: session)
  }
}

extension Incarnation {
  /// Returns the incarnation of a view, from that of its dataset or result.
  func shown(_ view: DatasetView) -> HistoryNumber {
    HistoryNumber(digesting: "\(self) \(view.digest)")
  }
}

extension LayoutSnapshot {
  /// Returns the identity of the layout of a view, or of all items in a layout that is not stored.
  fileprivate func identity(of items: ViewItems) -> Identity {
    if items.view.isWhole {
      return Identity(
        history: datasetIncarnation, result: temporaryIncarnation, view: self.view,
        elementCountMax: elementCountMax)
    }
    return Identity(
      history: Incarnation(datasetIncarnation).shown(items.view),
      result: resultIncarnation.shown(items.view), view: view,
      elementCountMax: elementCountMax, shown: items)
  }

  /// The plan by which results follow from the items alone, so that processes agree.
  fileprivate var exactPlan: LayoutPlan {
    get throws {
      guard plan.hasHistory else { return plan }
      return try LayoutPlan(plan.configuration.exact, custom: kinds)
    }
  }
}
