import LayoutGeometry
import LayoutStore
import SumTree

/// A resolver of one change on a state of its dataset. It writes nothing.
///
/// The result depends only on the request, the dataset's items and sections, its log, and its rows
/// of layouts, views, marks and requests: these are the same on all nodes of a cluster. Only
/// ``ChangeRequest/dependsOnNode`` changes read more.
struct ChangeResolver {
  private let reader: StoreReader
  private let kinds: CustomKinds
  /// The maximum number of layouts of a dataset.
  private let layoutsMax: Int
  /// The time by which requests expire, in milliseconds since 1970; `nil` in a shared log: the log
  /// decides it, not the clock of a node.
  private let now: Int64?
  private let makeLayoutID: () throws -> Int64
  private var state: DatasetState
  private let session: TreeSession
  /// The trees after the change, if resolving it has edited them.
  private(set) var edited: DatasetTrees?
  private let request: ChangeRequest

  /// - Parameters:
  ///   - state: The dataset, with its active layouts.
  ///   - session: Reads and edits the dataset's trees; contains the state's edits.
  ///   - layoutsMax: The maximum number of layouts, unless the request states one.
  ///   - makeLayoutID: Creates an ID for a new layout, unless the request states one.
  init(
    _ request: ChangeRequest, on state: DatasetState, in session: TreeSession,
    _ reader: StoreReader, time now: Int64?, kinds: CustomKinds, layoutsMax: Int,
    makeLayoutID: @escaping () throws -> Int64
  ) {
    (self.request, self.state, self.reader, self.now) = (request, state, reader, now)
    (self.kinds, self.session) = (kinds, session)
    self.layoutsMax = request.chosen?.layoutsMax ?? layoutsMax
    self.makeLayoutID = request.chosen.map { chosen in { chosen.layout } } ?? makeLayoutID
  }

  /// - Throws: ``LayoutCacheError``; read errors.
  mutating func resolve() throws -> ChangeResolution {
    var edits = session.edits
    // Edits for a change that is not applied must not count.
    defer { session.edits = edits }
    let resolution = try resolved()
    if case .change = resolution { edits = session.edits }
    return resolution
  }

  private mutating func resolved() throws -> ChangeResolution {
    if let settled = try settled() { return .settled(settled) }
    try state.row.require(request.expected, at: state.revision)
    if let resolution = try request.resolution(on: state.row, at: state.revision) {
      guard let batch = resolution.batch else { return try nothing() }
      try state.carryOut(batch, in: session, path: reader.path)
      return try change(batch, edited: state.trees, resolution.undone)
    }
    switch request.work {
    case .batch(let operations): return try resolve(operations)
    case .append(let items): return try resolve(items)
    case .undo(let target): return try undo(to: target)
    case .continueRebalance(let names, let section): return try continueRebalance(names, section)
    case .setLayout(let name, let configuration, let requirement):
      return try setLayout(name, configuration, requirement)
    case .addVariant(let name): return try addVariant(name)
    case .followTemplate(let name, let template, let number):
      return try followTemplate(name, to: template, replacing: number)
    case .removeLayout(let name, let requirement):
      let row = try requireFiled(name)
      try requireChecked(row)
      try requirement?(row.decodedConfiguration(path: reader.path, kinds: kinds))
      return change(.definition(.removed(id: row.id)))
    case .renameLayout(let name, let other): return try renameLayout(name, to: other)
    case .setView(let name, let definition): return try setView(name, definition)
    case .pin(let name, let replaced): return try pin(name, replacing: replaced)
    case .archive: throw ReplicationError.doesNotApply("it names an archive")
    }
  }

  /// Returns the outcome of a change that was applied before.
  private func settled() throws -> ChangeOutcome? {
    if let row = try request.request.flatMap({
      try reader.replay(of: $0, to: state.row.id, at: now ?? reader.requestTime(of: state))
    }) {
      return .replayed(revision: row.revision, answer: row.answer)
    }
    if let revision = try reader.repeatedRevision(of: request.operations, in: state.row.id) {
      return .applied(AppliedChange(Commit(repeating: revision, of: state.row)))
    }
    return nil
  }

  /// Resolves a change without an effect: an entry if its request must be recorded.
  private mutating func nothing() throws -> ChangeResolution {
    guard request.request != nil else {
      return .settled(
        .applied(AppliedChange(Commit(changingNothingAt: state.revision, of: state.row))))
    }
    let batch = LoggedBatch(operations: [])
    return change(.batch(batch, payload: batch.encode()))
  }

  private mutating func resolve(_ operations: [BatchOperation]) throws -> ChangeResolution {
    var resolver = OperationResolver(state.trees, of: state.row, reader, kinds: kinds, in: session)
    try resolver.apply(operations)
    guard let batch = resolver.loggedBatch else { return try nothing() }
    return try change(batch, edited: resolver.trees)
  }

  private mutating func resolve(_ items: ImportedBatch) throws -> ChangeResolution {
    if let order = items.order, order != state.trees.order {
      throw LayoutCacheError(.concurrentModification(dataset: state.row.name))
    }
    let resolution = try items.resolve(on: state.trees, at: state.revision, in: session)
    guard let batch = resolution.batch else { return try nothing() }
    return try change(batch, edited: resolution.trees)
  }

  private mutating func undo(to target: Int?) throws -> ChangeResolution {
    guard let (batch, undone) = try state.reverted(to: target, reader) else { return try nothing() }
    return try change(batch, edited: nil, undone)
  }

  private mutating func continueRebalance(
    _ names: [String]?, _ section: String?
  ) throws -> ChangeResolution {
    // In one batch, since each batch places items again in all overdue layouts: with equal steps,
    // equal layouts get equal columns.
    let overdue = state.overdueLayouts(of: names)
    let operations: [ResolvedOperation]
    if let section {
      guard let index = try state.trees.sectionIndex(ofKey: section, in: session) else {
        return try nothing()
      }
      let reference = SectionReference(index: index, key: section)
      operations = try overdue.compactMap { layout in
        try layout.nextRebalanced(of: reference, in: session).map {
          .note(.rebalance(from: $0, section: reference), layout: layout.row.id)
        }
      }
    } else {
      operations = overdue.map { .note(.continueRebalance, layout: $0.row.id) }
    }
    if operations.isEmpty { return try nothing() }
    return try change(LoggedBatch(operations: operations), edited: state.trees)
  }

  private mutating func setLayout(
    _ name: String, _ text: String, _ requirement: LayoutRequirement?
  ) throws -> ChangeResolution {
    let row = try reader.layout(named: name, of: state.row.id)
    try requireChecked(row)
    try requirement?(reader.presentConfiguration(of: name, in: state.row, kinds: kinds))
    if let row, row.template == nil, row.configuration.isExactly(text) {
      return try nothing()
    }
    return try setLayout(name, row, to: text, by: request.who)
  }

  /// Returns a layout as it is filed: nodes may know different templates.
  private func requireFiled(_ name: String) throws -> LayoutRow {
    try LayoutCacheError.check(name: name, as: "layout name")
    if let row = try reader.layout(named: name, of: state.row.id) { return row }
    throw LayoutCacheError(.noSuchLayout(state.id(ofLayout: name)))
  }

  /// Checks that the change's layout is as when the requirement was checked.
  private func requireChecked(_ row: LayoutRow?) throws {
    guard let checked = request.checked, checked != row.checkedText else { return }
    throw LayoutCacheError(.concurrentModification(dataset: state.row.name))
  }

  private func setLayout(
    _ name: String, _ row: LayoutRow?, to text: String, by who: String, from template: Int? = nil
  ) throws -> ChangeResolution {
    if row == nil { try requireRoomForLayout() }
    try requireRoomForVariants(of: name, row, text)
    let id = try row?.id ?? makeLayoutID()
    return change(
      .definition(.set(id: id, name: name, configuration: text, who: who, template: template)))
  }

  private mutating func followTemplate(
    _ name: String, to template: (configuration: String, number: Int, who: String)?,
    replacing number: Int?
  ) throws -> ChangeResolution {
    let row = try reader.layout(named: name, of: state.row.id)
    // Another caller may have changed the layout, or filed a later definition.
    guard row.map({ $0.template != nil && $0.template == number }) ?? (number == nil) else {
      return try nothing()
    }
    if let template {
      return try setLayout(
        name, row, to: template.configuration, by: template.who, from: template.number)
    }
    return try row.map { change(.definition(.removed(id: $0.id))) } ?? nothing()
  }

  private func requireRoomForLayout() throws {
    try LayoutCacheError.check(
      count: try reader.layoutCount(of: state.row.id) + 1, max: layoutsMax, as: "number of layouts")
  }

  /// Checks that no ordinary layout has the name of a variant of a layout that becomes responsive.
  private func requireRoomForVariants(
    of name: String, _ present: LayoutRow?, _ text: String
  ) throws {
    let row = LayoutRow(id: 0, dataset: state.row.id, name: name, configuration: text, result: nil)
    if try row.responsiveConfiguration(path: reader.path) == nil { return }
    if try present?.responsiveConfiguration(path: reader.path) != nil { return }
    if let other = try reader.layouts(of: state.row.id, variantsOf: name).first {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other.name)))
    }
  }

  private mutating func addVariant(_ name: String) throws -> ChangeResolution {
    guard let variant = try reader.variant(named: name, of: state.row, isFiled: true) else {
      throw LayoutCacheError(.noSuchLayout(state.id(ofLayout: name)))
    }
    if variant.row != nil { return try nothing() }
    try requireRoomForLayout()
    let text = try variant.configurationText(kinds: kinds)
    return change(
      .definition(
        .set(id: try makeLayoutID(), name: variant.name, configuration: text, who: request.who)))
  }

  private mutating func renameLayout(
    _ name: String, to other: String
  ) throws -> ChangeResolution {
    let row = try requireFiled(name)
    if ExactKey(name) == ExactKey(other) { return try nothing() }
    if try reader.layout(named: other, of: state.row.id) != nil {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other)))
    }
    if let other = try reader.layouts(of: state.row.id, variantsOf: other).first,
      try row.responsiveConfiguration(path: reader.path) != nil
    {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other.name)))
    }
    return change(
      .definition(.set(id: row.id, name: other, configuration: row.configuration, who: request.who))
    )
  }

  private mutating func setView(
    _ name: String, _ definition: [UInt8]?
  ) throws -> ChangeResolution {
    let old = try reader.view(named: name, of: state.row.id)
    if let old, old.definition == definition { return try nothing() }
    if old == nil {
      guard definition != nil else {
        throw LayoutCacheError(.noSuchView(name, dataset: state.row.name))
      }
      try LayoutCacheError.check(
        count: reader.viewCount(of: state.row.id) + 1, max: Budgets.views, as: "number of views")
    }
    return change(.definition(.view(name: name, definition: definition)))
  }

  /// - Parameter replaced: The incarnation of a pin whose beginning no node has any longer.
  private mutating func pin(
    _ name: String, replacing replaced: Int64?
  ) throws -> ChangeResolution {
    let row = try requireFiled(name)
    // Another node may have changed or pinned the layout since the request.
    try row.requireOneSize(path: reader.path)
    let present = try reader.pin(of: row.id)
    let isReplaced = present.map { $0.incarnation.rawValue == replaced } ?? false
    if let present, !isReplaced, present.configuration.isExactly(row.configuration) {
      return try nothing()
    }
    guard let incarnation = request.chosen?.incarnation else {
      throw ReplicationError.doesNotApply("a pin has no incarnation")
    }
    return change(
      .pin(SharedPin(layout: row.id, incarnation: incarnation, isFromScratch: isReplaced)))
  }

  /// - Parameter trees: The trees after the batch; `nil` if they have not been edited.
  /// - Throws: ``LayoutCacheError`` with `batchTooLong`.
  private mutating func change(
    _ batch: LoggedBatch, edited trees: DatasetTrees?, _ undone: Commit.Undone? = nil
  ) throws -> ChangeResolution {
    var batch = batch
    batch.who = request.who
    edited = trees
    let payload = try batch.encodedWithinLimits()
    return .change(
      ResolvedChange(
        content: .batch(batch, payload: payload), revision: state.revision + 1, undone: undone))
  }

  private func change(_ content: ChangeContent) -> ChangeResolution {
    .change(ResolvedChange(content: content, revision: state.revision))
  }
}

extension LayoutRow? {
  /// The present value of ``ChangeRequest/checked``.
  var checkedText: [UInt8] { Array(self?.configuration.utf8 ?? "".utf8) }
}
