import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Finds out what changes come to on a dataset as a node has it, one behind the other, and
/// writes nothing: the shared log decides on them.
struct ChangeResolver {
  private let reader: StoreReader
  private let kinds: CustomKinds
  /// The most layouts of a dataset.
  private let layoutsMax: Int
  /// When that is, in milliseconds since 1970.
  private let now: Int64
  private var state: DatasetState
  private let session: TreeSession
  /// Where the dataset stands.
  private let position: SharedPosition
  /// Where the next entry comes to stand.
  private var sequence: Int
  private var revision: Int
  private var isFirst = true
  /// What those before have said that must be known to those behind them.
  private var sources: Set<ExactKey> = []
  private var requests: Set<ExactKey> = []
  /// Whether only those come behind that have seen what was said.
  private var isOver = false

  /// - Parameter state: The dataset, with the layouts in use that matter.
  init(
    _ state: DatasetState, at position: SharedPosition, _ reader: StoreReader, at now: Int64,
    kinds: CustomKinds, layoutsMax: Int
  ) {
    self.layoutsMax = layoutsMax
    self.state = state
    self.reader = reader
    self.now = now
    self.kinds = kinds
    session = TreeSession(reader)
    self.position = position
    sequence = position.sequence + 1
    revision = state.revision
  }

  mutating func resolve(_ change: SharedChange) -> SharedResolution {
    defer { isFirst = false }
    do {
      guard try isKnown(change) == false else { return .mustWait }
      if let settled = try settled(change) { return .isSettled(settled) }
      if let expected = change.expected, expected != revision {
        throw LayoutCacheError(
          .revisionMismatch(expected: expected, present: revision, dataset: state.row.name))
      }
      switch change.work {
      case .batch(let operations): return try resolve(operations, of: change)
      case .append(let items): return try resolve(items, of: change)
      case _ where !isFirst: return .mustWait
      case .undo: return try undo(change)
      case .carryOn(let names): return try carryOn(names, of: change)
      case .setLayout(let name, let configuration, let freshID):
        return try setLayout(name, configuration, freshID, of: change)
      case .removeLayout(let name):
        let row = try reader.requireLayout(name, of: state.row)
        return entry(.layout, SharedLayoutChange.isRemoved(id: row.id).encode(), of: change)
      case .renameLayout(let name, let other):
        return try renameLayout(name, to: other, of: change)
      case .pin(let name): return try pin(name, of: change)
      case .image(let image, let base):
        if let base, base != position {
          throw LayoutCacheError(.changedMeanwhile(dataset: state.row.name))
        }
        return entry(.image, image.encode(), of: change, makesRevision: true)
      }
    } catch {
      return .isRefused(error)
    }
  }

  /// Whether the change must see what one before it has said.
  private mutating func isKnown(_ change: SharedChange) throws -> Bool {
    if isOver { return true }
    if let request = change.request {
      let isNew = requests.insert(ExactKey("\(request.owner)\u{0}\(request.key)")).inserted
      if !isNew { return true }
    }
    guard case .batch(let operations) = change.work else { return false }
    for case .mark(let source, _, _) in operations {
      if !sources.insert(ExactKey(source)).inserted { return true }
    }
    return false
  }

  /// What the change comes to where it has been carried out already.
  private func settled(_ change: SharedChange) throws -> SharedOutcome? {
    if let request = change.request,
      let row = try reader.replay(of: request, to: state.row.id, at: now)
    {
      return .isReplayed(revision: row.revision, answer: row.answer)
    }
    if case .batch(let operations) = change.work,
      let revision = try reader.repeatedRevision(of: operations, in: state.row.id)
    {
      return .isCommitted(Commit(repeating: revision, of: state.row))
    }
    return nil
  }

  /// What comes of a change that changes nothing: a row where its request is to be known.
  private mutating func nothing(_ change: SharedChange) -> SharedResolution {
    guard change.request != nil else {
      return .isSettled(.isCommitted(Commit(changingNothingAt: revision, of: state.row)))
    }
    return entry(.batch, LoggedBatch(operations: []).encode(), of: change)
  }

  private mutating func resolve(
    _ operations: [BatchOperation], of change: SharedChange
  ) throws -> SharedResolution {
    let (reader, row) = (reader, state.row)
    if operations.takePass {
      guard let batch = try change.resolution.current(on: row, at: revision) else {
        return nothing(change)
      }
      let resolution = try entry(batch, of: change)
      try state.carryOut(batch, in: session, path: reader.path)
      return resolution
    }
    var resolver = OperationResolver(state.trees, in: session) { name in
      try reader.layout(named: name, of: row.id).map { row in
        NamedLayout(id: row.id) { try row.decodedConfiguration(path: reader.path) }
      }
    }
    try resolver.apply(operations)
    guard resolver.makesRevision else { return nothing(change) }
    let resolution = try entry(LoggedBatch(operations: resolver.resolved), of: change)
    state.trees = resolver.trees
    return resolution
  }

  private mutating func resolve(
    _ items: ImportedBatch, of change: SharedChange
  ) throws -> SharedResolution {
    let resolution = try items.resolve(on: state.trees, at: revision, in: session)
    guard let batch = resolution.batch else { return nothing(change) }
    let proposed = try entry(batch, of: change)
    state.trees = resolution.trees
    return proposed
  }

  private mutating func undo(_ change: SharedChange) throws -> SharedResolution {
    let resolution = try entry(state.newestUndone(reader), of: change)
    // The trees here are those before it, on which nothing behind it can be resolved.
    isOver = true
    return resolution
  }

  private mutating func carryOn(
    _ names: [String]?, of change: SharedChange
  ) throws -> SharedResolution {
    guard let layout = state.firstOverdueLayout(of: names) else { return nothing(change) }
    return try entry(LoggedBatch(operations: [.carryOn(layout: layout)]), of: change)
  }

  private mutating func setLayout(
    _ name: String, _ configuration: LayoutConfiguration, _ freshID: Int64,
    of change: SharedChange
  ) throws -> SharedResolution {
    let text = try ConfigurationText.encode(configuration)
    let row = try reader.layout(named: name, of: state.row.id)
    if row?.configuration == text { return nothing(change) }
    if row == nil {
      try LayoutCacheError.check(
        count: try reader.layoutCount(of: state.row.id) + 1, max: layoutsMax,
        as: "number of layouts")
    }
    let set = SharedLayoutChange.isSet(id: row?.id ?? freshID, name: name, configuration: text)
    return entry(.layout, set.encode(), of: change)
  }

  private mutating func renameLayout(
    _ name: String, to other: String, of change: SharedChange
  ) throws -> SharedResolution {
    let row = try reader.requireLayout(name, of: state.row)
    if ExactKey(name) == ExactKey(other) { return nothing(change) }
    if try reader.layout(named: other, of: state.row.id) != nil {
      throw LayoutCacheError(.layoutExists(state.id(ofLayout: other)))
    }
    let set = SharedLayoutChange.isSet(id: row.id, name: other, configuration: row.configuration)
    return entry(.layout, set.encode(), of: change)
  }

  private mutating func pin(
    _ name: String, of change: SharedChange
  ) throws -> SharedResolution {
    let row = try reader.requireLayout(name, of: state.row)
    // Somebody has been faster.
    if try reader.pin(of: row.id)?.configuration == row.configuration { return nothing(change) }
    let pin = SharedPin(layout: row.id, incarnation: Incarnation.random().rawValue)
    return entry(.pin, pin.encode(), of: change)
  }

  private mutating func entry(
    _ batch: LoggedBatch, of change: SharedChange
  ) throws -> SharedResolution {
    entry(.batch, try batch.encodedWithinLimits(), of: change, makesRevision: true)
  }

  private mutating func entry(
    _ kind: SharedEntry.Kind, _ payload: [UInt8], of change: SharedChange,
    makesRevision: Bool = false
  ) -> SharedResolution {
    if makesRevision { revision += 1 }
    // What others say of layouts is looked up in the file.
    isOver = kind != .batch
    defer { sequence += 1 }
    return .isProposed(
      SharedEntry(
        sequence: sequence, revision: revision, kind: kind, proposal: change.proposal,
        request: change.request?.encode(), payload: payload, time: now, chain: []))
  }
}
