public import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree
import Synchronization

/// A layout at one revision of its dataset. Every query is answered from a snapshot.
///
/// Lengths are in content coordinates, with the origin at the top left corner. Nodes are read
/// from the file as needed and stay in memory. Use a snapshot within
/// ``LayoutCache/read(_:freshness:_:)``, which starts again on the newer revision if a node was
/// deleted in the meantime. A snapshot used longer answers from its revision, or throws once it
/// needs such a node. After the cache is closed, every query throws ``LayoutCacheError`` with
/// `closed`.
public final class LayoutSnapshot: Sendable {
  /// The layout and its dataset.
  public let layout: LayoutID
  /// The dataset's revision.
  public let revision: Int
  /// Whether the layout's configuration has changed since this result was laid out.
  public var isOutdated: Bool { layoutRow.isOutdated }
  /// Whether the result is only in memory, of a width that is not stored: see
  /// ``LayoutCache/read(_:freshness:_:)``.
  public var isTemporary: Bool { layoutRow.id < 0 }
  /// An opaque random name of the history of the dataset and of the result. Together with
  /// ``revision`` it identifies an answer. A different history may have different answers at the
  /// same revision: that of a dataset that was removed and created again, or of a layout that was
  /// laid out again; a preview has its own.
  public let incarnation: Incarnation
  /// The result's part of ``incarnation``, as in commits.
  let resultIncarnation: Incarnation
  /// The number of the dataset's sections.
  public var sectionCount: Int { trees.sections.count }
  /// The number of the dataset's items.
  public var itemCount: Int { trees.items.count }
  /// The size of the content: the container's length along the cross axis; the sections' lengths
  /// and gaps along the scrolling axis.
  public let contentSize: Size
  /// The scroll positions of carousels, by which every query moves their cells.
  public let carouselOffsets: CarouselOffsets

  let trees: DatasetTrees
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  let results: SumTree<SectionResultLeaf>
  /// The content's length along the main axis.
  let mainLength: Length
  /// An upper bound on the number of stored elements of a section.
  let elementCountMax: Int
  let datasetRow: DatasetRow
  private let layoutRow: LayoutRow
  let kinds: CustomKinds
  /// Whether it has no result, as the definition of a layout that is not stored.
  let isDefinition: Bool
  /// The records for undo; `nil` for a state that was not committed.
  let undo: UndoStack?
  /// The incarnation of the items: the dataset's, or that of a preview or a view.
  let history: HistoryNumber
  /// The view that the snapshot shows; `nil` for the whole dataset.
  let shown: ViewItems?
  private let source: PooledNodes
  private let lastQueryState = LastQueryState()
  private let bytesLoaded: LoadedBytes

  init(_ state: DatasetState, _ layout: LayoutState, source: PooledNodes, kinds: CustomKinds) {
    datasetRow = state.row
    layoutRow = layout.row
    (undo, history, shown) = (layout.undo, state.row.incarnation, nil)
    (self.source, self.kinds) = (source, kinds)
    self.layout = state.id(ofLayout: layout.row.name)
    revision = state.revision
    resultIncarnation = layout.incarnation
    incarnation = Incarnation(rawValue: "\(state.row.incarnation)-\(resultIncarnation)")
    trees = state.trees
    shapes = state.shapes
    plan = layout.plan
    view = layout.view
    results = layout.results
    elementCountMax = layout.elementCountMax
    mainLength = layout.plan.mainLength(of: layout.results)
    contentSize = layout.contentSize
    carouselOffsets = CarouselOffsets()
    bytesLoaded = LoadedBytes()
    isDefinition = false
  }

  /// Creates the snapshot of a layout that is not stored, without a result: the base of those that
  /// have one.
  init(_ state: DatasetState, _ variant: TemporaryLayout, source: PooledNodes, kinds: CustomKinds) {
    datasetRow = state.row
    layoutRow = variant.row(in: state.row)
    (undo, history, shown) = (nil, state.row.incarnation, nil)
    (self.source, self.kinds) = (source, kinds)
    (layout, revision) = (variant.id, state.revision)
    resultIncarnation = Incarnation(layoutRow.temporaryIncarnation(in: datasetRow))
    incarnation = Incarnation(rawValue: "\(state.row.incarnation)-\(resultIncarnation)")
    (trees, shapes, plan) = (state.trees, state.shapes, variant.plan)
    view = ItemView(layout: layoutRow.id, space: plan.space)
    results = SumTree(shape: shapes.sectionResults)
    (elementCountMax, mainLength, contentSize) = (1 << 60, .zero, .zero)
    carouselOffsets = CarouselOffsets()
    bytesLoaded = LoadedBytes()
    isDefinition = true
  }

  /// Creates a snapshot of an uncommitted change, an earlier revision or a view, at other scroll
  /// positions, or in another direction.
  ///
  /// - Parameters:
  ///   - present: The original, which has the same revision unless `identity` has another one.
  ///   - identity: That of an uncommitted change or a view; `nil` for the same state.
  init(
    of present: LayoutSnapshot, trees: DatasetTrees, plan: LayoutPlan,
    results: SumTree<SectionResultLeaf>, carouselOffsets: CarouselOffsets,
    as identity: Identity? = nil
  ) {
    (datasetRow, layoutRow, source) = (present.datasetRow, present.layoutRow, present.source)
    (layout, shapes) = (present.layout, present.shapes)
    revision = identity?.revision ?? present.revision
    (kinds, bytesLoaded) = (present.kinds, present.bytesLoaded)
    view = identity?.view ?? present.view
    elementCountMax = identity?.elementCountMax ?? present.elementCountMax
    undo = identity == nil ? present.undo : nil
    history = identity?.history ?? present.history
    shown = identity == nil ? present.shown : identity?.shown
    if let own = identity.map({ Incarnation($0.result) }) {
      resultIncarnation = own
      incarnation = Incarnation(rawValue: "\(datasetRow.incarnation)-\(own)")
    } else {
      (resultIncarnation, incarnation) = (present.resultIncarnation, present.incarnation)
    }
    isDefinition = false
    self.trees = trees
    self.plan = plan
    self.results = results
    self.carouselOffsets = carouselOffsets
    mainLength = plan.mainLength(of: results)
    contentSize = plan.space.contentSize(mainLength: mainLength)
  }

  /// The properties in which a state that is not stored differs, in addition to its trees and plan.
  struct Identity {
    /// The incarnation of the items.
    var history: HistoryNumber
    /// That of the result.
    var result: HistoryNumber
    var view: ItemView
    var elementCountMax: Int
    var shown: ViewItems?
    /// The revision; `nil` for that of the original.
    var revision: Int?
  }

  /// Returns the snapshot with carousels at other scroll positions.
  ///
  ///     let page = try snapshot.scrolled(to: ["hero": 390]).elements(in: visible)
  ///
  /// Every query of the result moves a carousel's cells by its offset, clamped to its range.
  /// Queries for a rectangle or a point find the cells within the container; queries for an item
  /// or a run of items also return others.
  ///
  /// - Parameter offsets: The offsets, by section key; they replace all earlier ones.
  /// - Complexity: O(1); reads nothing.
  public func scrolled(to offsets: CarouselOffsets) -> LayoutSnapshot {
    if offsets == carouselOffsets { return self }
    return LayoutSnapshot(
      of: self, trees: trees, plan: plan, results: results, carouselOffsets: offsets)
  }

  /// The direction of every position in the content: the configuration's `layoutDirection`, unless
  /// ``reading(_:)`` has chosen another one.
  public var layoutDirection: LayoutConfiguration.LayoutDirection {
    plan.space.isMirrored ? .rightToLeft : .leftToRight
  }

  /// Returns the snapshot with the content in a layout direction.
  ///
  ///     let page = try snapshot.reading(.rightToLeft).elements(in: visible)
  ///
  /// One result serves both directions. Every query of the returned snapshot takes and returns
  /// positions in its direction: x' = W - x - w for a frame of width w in content of width W.
  /// Offsets of carousels, and intervals in an `InvalidationContext`, count from the leading edge
  /// in both directions.
  ///
  /// Source: `effectiveUserInterfaceLayoutDirection` of UIView.
  ///
  /// - Parameter direction: The direction; `nil` for that of the configuration.
  /// - Complexity: O(1); reads nothing.
  public func reading(
    _ direction: LayoutConfiguration.LayoutDirection?
  ) -> LayoutSnapshot {
    if direction ?? plan.configuration.layoutDirection == layoutDirection { return self }
    return LayoutSnapshot(
      of: self, trees: trees, plan: plan.reading(direction), results: results,
      carouselOffsets: carouselOffsets)
  }

  var datasetID: Int64 { datasetRow.id }

  /// The incarnation of the dataset: the first part of ``incarnation``.
  var datasetIncarnation: HistoryNumber { datasetRow.incarnation }

  /// Returns whether another snapshot is of the same dataset at the same revision.
  func isOfState(of other: LayoutSnapshot) -> Bool {
    datasetID == other.datasetID && datasetIncarnation == other.datasetIncarnation
      && revision == other.revision
  }

  /// Returns whether another snapshot is of the same result at the same revision: not of one that
  /// was laid out again, as after a change of the configuration, which has no revision.
  func isOfResult(of other: LayoutSnapshot) -> Bool {
    layoutID == other.layoutID && revision == other.revision && incarnation == other.incarnation
  }

  /// The layout's ID in the database; negative for a layout that is not stored.
  var layoutID: Int64 { layoutRow.id }

  /// The number of the results of a layout that is not stored.
  var temporaryIncarnation: HistoryNumber { layoutRow.temporaryIncarnation(in: datasetRow) }

  /// The snapshot without nodes of the dataset that were read from the file.
  var unloaded: LayoutSnapshot {
    var trees = trees
    trees.unload()
    return LayoutSnapshot(
      of: self, trees: trees, plan: plan, results: results, carouselOffsets: carouselOffsets)
  }

  /// The space of the layout's nodes.
  var resultSpace: NodeSpace? { layoutRow.result?.space }

  /// Returns whether rows are the checkpoints from which the snapshot was advanced.
  func isBased(on dataset: DatasetRow, _ layout: LayoutRow) -> Bool {
    datasetRow.isSameCheckpoint(as: dataset) && layoutRow.isSameCheckpoint(as: layout)
  }

  /// Returns whether a row is the checkpoint from which the snapshot's dataset was advanced.
  func isBased(on dataset: DatasetRow) -> Bool { datasetRow.isSameCheckpoint(as: dataset) }

  func items(
    of section: PlacedSection, _ session: TreeSession, readsData: Bool = false
  ) throws -> SectionItems {
    try SectionItems(
      trees, in: section.items, for: section.plan, readsData: readsData, view, shapes, in: session)
  }

  /// Runs one query and counts its work.
  func query<R>(_ body: (QueryState) throws -> R) throws -> (result: R, work: QueryWork) {
    try source.requireOpen()
    let state = lastQueryState.take() ?? QueryState(TreeSession(source))
    let session = state.session
    session.restart()
    defer { note(session) }
    do {
      let result = try body(state)
      let work = QueryWork(nodesVisited: session.nodesVisited, nodesLoaded: session.nodesLoaded)
      lastQueryState.put(state)
      return (result, work)
    } catch {
      throw mapped(error)
    }
  }

  /// Returns an error of a lower module as that of a public call.
  private func mapped(_ error: any Error) -> any Error {
    guard var own = LayoutCacheError(mapping: error, path: source.path) else { return error }
    own.damage = Damage(error)
    return own
  }

  /// Runs `body`, which may query this snapshot and those derived from it, and maps its errors.
  func mappingErrors<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw mapped(error) }
  }

  /// Counts the bytes that a session has loaded.
  private func note(_ session: TreeSession) {
    guard session.bytesLoaded > 0 else { return }
    bytesLoaded.count.add(session.bytesLoaded, ordering: .relaxed)
  }

  /// Runs `body` on one committed state of the file, which may be newer than the snapshot, and a
  /// session that reads from it. For work that grows with the dataset or its log; not in a query.
  func withSession<R>(
    keepsNodes: Bool, _ body: (StoreReader, TreeSession) throws -> R
  ) throws -> R {
    // The query maps errors, and counts nothing itself.
    try query { _ in
      try source.readLong { reader in
        let session = TreeSession(reader, keepsNodes: keepsNodes)
        defer { note(session) }
        return try body(reader, session)
      }
    }.result
  }

  /// Runs `body` on one committed state of the file, which may be newer than the snapshot.
  func withFile<R>(_ body: (StoreReader) throws -> R) throws -> R { try source.read(body) }

  /// Returns the number of bytes loaded since the last call by the queries of this snapshot and of
  /// those derived from it.
  func takeBytesLoaded() -> Int { bytesLoaded.count.exchange(0, ordering: .relaxed) }
}

/// The number of bytes loaded by the queries of a snapshot, and of those derived from it.
private final class LoadedBytes: Sendable {
  let count = Atomic(0)
}

/// The amount of work done by a query.
public struct QueryWork: Hashable, Sendable {
  /// The number of tree nodes visited.
  public var nodesVisited: Int
  /// The number of visited nodes that were read from the file.
  public var nodesLoaded: Int
  /// The number of visited nodes that were in memory.
  public var cacheHits: Int { nodesVisited - nodesLoaded }

  /// Returns the total work of two queries.
  public static func + (lhs: Self, rhs: Self) -> Self {
    QueryWork(
      nodesVisited: lhs.nodesVisited + rhs.nodesVisited,
      nodesLoaded: lhs.nodesLoaded + rhs.nodesLoaded)
  }

  static let none = QueryWork(nodesVisited: 0, nodesLoaded: 0)
}
