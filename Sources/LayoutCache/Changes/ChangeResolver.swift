import LayoutGeometry
import LayoutStore
import SumTree

/// A resolver of changes on a state of their dataset, each on the result of the previous ones. It
/// writes nothing.
struct ChangeResolver {
  private let reader: StoreReader
  private let kinds: CustomKinds
  /// The maximum number of layouts of a dataset.
  private let layoutsMax: Int
  /// The time by which requests expire, in milliseconds since 1970.
  private let now: Int64
  private let random: RandomSource
  private let makeLayoutID: () throws -> Int64
  private var state: DatasetState
  private let session: TreeSession
  /// The position of the dataset in its shared log, if it follows one.
  private let position: SharedPosition?
  private var revision: Int
  /// The trees after the last change, if resolving it has edited them.
  private(set) var edited: DatasetTrees?
  private var isFirst = true
  /// Mark sources and request keys used by earlier changes in this group.
  private var sources: Set<ExactKey> = []
  private var requests: Set<ExactKey> = []
  /// The caller of the change that is being resolved.
  private var who = ""
  /// Whether later changes must wait for this group to commit.
  private var isOver = false

  /// - Parameters:
  ///   - state: The dataset, with its active layouts.
  ///   - session: Reads and edits the dataset's trees; contains the state's edits.
  ///   - position: The dataset's position in its shared log, if it follows one.
  ///   - makeLayoutID: Creates an ID for a new layout.
  init(
    _ state: DatasetState, in session: TreeSession, at position: SharedPosition? = nil,
    _ reader: StoreReader, time now: Int64, kinds: CustomKinds, layoutsMax: Int,
    random: RandomSource,
    makeLayoutID: @escaping () throws -> Int64
  ) {
    (self.layoutsMax, self.state, self.reader, self.now) = (layoutsMax, state, reader, now)
    (self.kinds, self.session, self.position) = (kinds, session, position)
    (self.random, self.makeLayoutID) = (random, makeLayoutID)
    revision = state.revision
  }

  mutating func resolve(_ request: ChangeRequest) -> ChangeResolution {
    let edits = session.edits
    who = request.who
    let resolution = resolveOrFail(request)
    isFirst = false
    // Edits for a change that is not applied must not count.
    if case .change = resolution {} else { session.edits = edits }
    return resolution
  }

  private mutating func resolveOrFail(_ request: ChangeRequest) -> ChangeResolution {
    do {
      if mustWait(request) { return .mustWait }
      if let settled = try settled(request) { return .settled(settled) }
      try state.row.require(request.expected, at: revision)
      if let resolution = try request.resolution(on: state.row, at: revision) {
        guard let batch = resolution.batch else { return try nothing(request) }
        try state.carryOut(batch, in: session, path: reader.path)
        return try change(batch, edited: state.trees)
      }
      switch request.work {
      case .batch(let operations): return try resolve(operations, of: request)
      case .append(let items): return try resolve(items, of: request)
      case _ where !isFirst: return .mustWait
      case .undo(let target): return try undo(to: target, of: request)
      case .continueRebalance(let names, let section):
        return try continueRebalance(names, section, of: request)
      case .setLayout(let name, let configuration, let requirement):
        return try setLayout(name, configuration, requirement, of: request)
      case .addVariant(let name): return try addVariant(name, of: request)
      case .followTemplate(let name, let number):
        return try followTemplate(name, number: number, of: request)
      case .removeLayout(let name, let requirement):
        try requireNoTemplate(of: name)
        let row = try reader.requireLayout(name, of: state.row)
        try requirement?(row.decodedConfiguration(path: reader.path, kinds: kinds))
        return change(.definition(.removed(id: row.id)))
      case .renameLayout(let name, let other):
        return try renameLayout(name, to: other, of: request)
      case .setView(let name, let view): return try setView(name, view, of: request)
      case .pin(let name): return try pin(name, of: request)
      case .archive(let archive, let base):
        if let base, base != position {
          throw LayoutCacheError(.concurrentModification(dataset: state.row.name))
        }
        return change(.archive(archive), makesRevision: true)
      }
    } catch {
      return .failed(error)
    }
  }

  /// Returns whether the change must see the effect of an earlier one in the group.
  private mutating func mustWait(_ change: ChangeRequest) -> Bool {
    if isOver { return true }
    if let request = change.request {
      if !requests.insert(request.mapKey).inserted { return true }
    }
    // A change that repeats a source is rejected, so it does not wait.
    var own: Set<ExactKey> = []
    for case .mark(let source, _, _) in change.operations { own.insert(ExactKey(source)) }
    defer { sources.formUnion(own) }
    return !sources.isDisjoint(with: own)
  }

  /// Returns the outcome of a change that was applied before.
  private func settled(_ change: ChangeRequest) throws -> ChangeOutcome? {
    if let request = change.request,
      let row = try reader.replay(of: request, to: state.row.id, at: now)
    {
      return .replayed(revision: row.revision, answer: row.answer)
    }
    if let revision = try reader.repeatedRevision(of: change.operations, in: state.row.id) {
      return .applied(AppliedChange(Commit(repeating: revision, of: state.row)))
    }
    return nil
  }

  /// Resolves a change without an effect: an entry if its request must be recorded.
  private mutating func nothing(_ change: ChangeRequest) throws -> ChangeResolution {
    guard change.request != nil else {
      return .settled(.applied(AppliedChange(Commit(changingNothingAt: revision, of: state.row))))
    }
    let batch = LoggedBatch(operations: [])
    return self.change(.batch(batch, payload: batch.encode()))
  }

  private mutating func resolve(
    _ operations: [BatchOperation], of change: ChangeRequest
  ) throws -> ChangeResolution {
    var resolver = OperationResolver(state.trees, of: state.row, reader, kinds: kinds, in: session)
    try resolver.apply(operations)
    guard let batch = resolver.loggedBatch else { return try nothing(change) }
    return try self.change(batch, edited: resolver.trees)
  }

  private mutating func resolve(
    _ items: ImportedBatch, of change: ChangeRequest
  ) throws -> ChangeResolution {
    let resolution = try items.resolve(on: state.trees, at: revision, in: session)
    guard let batch = resolution.batch else { return try nothing(change) }
    return try self.change(batch, edited: resolution.trees)
  }

  private mutating func undo(
    to target: Int?, of request: ChangeRequest
  ) throws -> ChangeResolution {
    guard let (batch, undone) = try state.reverted(to: target, reader) else {
      return try nothing(request)
    }
    // The trees are still those from before the undo, so later changes cannot be resolved on
    // them.
    isOver = true
    return try change(batch, edited: nil, undone)
  }

  private mutating func continueRebalance(
    _ names: [String]?, _ section: String?, of change: ChangeRequest
  ) throws -> ChangeResolution {
    // In one batch, since each batch places items again in all overdue layouts: with equal steps,
    // equal layouts get equal columns.
    let overdue = state.overdueLayouts(of: names)
    let operations: [ResolvedOperation]
    if let section {
      guard let index = try state.trees.sectionIndex(ofKey: section, in: session) else {
        return try nothing(change)
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
    if operations.isEmpty { return try nothing(change) }
    return try self.change(LoggedBatch(operations: operations), edited: state.trees)
  }

  private mutating func setLayout(
    _ name: String, _ text: String, _ requirement: LayoutRequirement?, of change: ChangeRequest
  ) throws -> ChangeResolution {
    let row = try reader.layout(named: name, of: state.row.id)
    try requirement?(reader.presentConfiguration(of: name, in: state.row, kinds: kinds))
    if let row, row.template == nil, row.configuration.isExactly(text) {
      return try nothing(change)
    }
    return try self.setLayout(name, row, to: text, by: who)
  }

  private mutating func setLayout(
    _ name: String, _ row: LayoutRow?, to text: String, by who: String, from template: Int? = nil
  ) throws -> ChangeResolution {
    if row == nil { try requireRoomForLayout() }
    try requireRoomForVariants(of: name, row, text)
    let id = try row?.id ?? makeLayoutID()
    return change(
      .definition(.set(id: id, name: name, configuration: text, who: who, template: template)))
  }

  private mutating func followTemplate(
    _ name: String, number: Int?, of request: ChangeRequest
  ) throws -> ChangeResolution {
    let row = try reader.layout(named: name, of: state.row.id)
    // After another change of templates the caller misses the layout again.
    switch try reader.templateChange(of: name, in: state.row) {
    case .set(let template) where template.number == number:
      return try setLayout(
        name, row, to: template.configuration, by: template.who, from: template.number)
    case .removed where number == nil:
      if let row { return change(.definition(.removed(id: row.id))) }
      fallthrough
    case .set, .removed, nil: return try nothing(request)
    }
  }

  /// Checks that a layout is the dataset's own.
  private func requireNoTemplate(of name: String) throws {
    guard let template = try reader.template(of: name, in: state.row) else { return }
    throw LayoutCacheError(.ofTemplate(state.id(ofLayout: name), template: template.name))
  }

  private func requireRoomForLayout() throws {
    try LayoutCacheError.check(
      count: try reader.layoutCount(of: state.row.id) + 1, max: layoutsMax, as: "number of layouts")
  }

  /// Checks that no ordinary layout has the name of a variant of a layout that becomes
  /// responsive.
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

  private mutating func addVariant(
    _ name: String, of change: ChangeRequest
  ) throws -> ChangeResolution {
    guard let variant = try reader.variant(named: name, of: state.row) else {
      throw LayoutCacheError(.noSuchLayout(state.id(ofLayout: name)))
    }
    if variant.row != nil { return try nothing(change) }
    try requireRoomForLayout()
    let text = try variant.configurationText(kinds: kinds)
    return self.change(
      .definition(
        .set(id: try makeLayoutID(), name: variant.name, configuration: text, who: who)))
  }

  private mutating func renameLayout(
    _ name: String, to other: String, of change: ChangeRequest
  ) throws -> ChangeResolution {
    try requireNoTemplate(of: name)
    let row = try reader.requireLayout(name, of: state.row)
    if ExactKey(name) == ExactKey(other) { return try nothing(change) }
    if try reader.layout(named: other, of: state.row.id) != nil {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other)))
    }
    if let other = try reader.layouts(of: state.row.id, variantsOf: other).first,
      try row.responsiveConfiguration(path: reader.path) != nil
    {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other.name)))
    }
    return self.change(
      .definition(.set(id: row.id, name: other, configuration: row.configuration, who: who)))
  }

  private mutating func setView(
    _ name: String, _ view: DatasetView?, of change: ChangeRequest
  ) throws -> ChangeResolution {
    let (old, definition) = (try reader.view(named: name, of: state.row.id), view?.encoded)
    if let old, old.definition == definition { return try nothing(change) }
    if old == nil {
      guard definition != nil else {
        throw LayoutCacheError(.noSuchView(name, dataset: state.row.name))
      }
      try LayoutCacheError.check(
        count: reader.viewCount(of: state.row.id) + 1, max: Budgets.views, as: "number of views")
    }
    return self.change(.definition(.view(name: name, definition: definition)))
  }

  private mutating func pin(_ name: String, of change: ChangeRequest) throws -> ChangeResolution {
    let row = try reader.requireLayout(name, of: state.row)
    // Another node has already pinned the layout.
    if try reader.pin(of: row.id)?.configuration.isExactly(row.configuration) == true {
      return try nothing(change)
    }
    return self.change(.pin(SharedPin(layout: row.id, incarnation: random.incarnation().rawValue)))
  }

  /// - Parameter trees: The trees after the batch; `nil` if they have not been edited.
  /// - Throws: ``LayoutCacheError`` with `batchTooLong`.
  private mutating func change(
    _ batch: LoggedBatch, edited trees: DatasetTrees?, _ undone: Commit.Undone? = nil
  ) throws -> ChangeResolution {
    var batch = batch
    batch.who = who
    let payload = try batch.encodedWithinLimits()
    edited = trees
    if let trees { state.trees = trees }
    return change(.batch(batch, payload: payload), makesRevision: true, undone)
  }

  private mutating func change(
    _ content: ChangeContent, makesRevision: Bool = false, _ undone: Commit.Undone? = nil
  ) -> ChangeResolution {
    if makesRevision { revision += 1 }
    // The rows of layouts are read from the file.
    if case .batch = content {} else { isOver = true }
    var resolved = ResolvedChange(content: content, revision: revision)
    resolved.undone = undone
    return .change(resolved)
  }
}

extension IdempotentRequest {
  /// Identifies the sender's request in a set.
  fileprivate var mapKey: ExactKey { ExactKey("\(owner)\u{0}\(key)") }
}
