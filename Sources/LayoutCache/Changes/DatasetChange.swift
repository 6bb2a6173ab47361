import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

/// A change of one dataset under way: the transaction that writes it down, and the state
/// that it leads to.
struct DatasetChange {
  let writer: StoreWriter
  var state: DatasetState
  /// Reads and edits the dataset's trees.
  private(set) var session: TreeSession
  /// When the change is made, in milliseconds since 1970.
  private(set) var now: Int64
  let kinds: CustomKinds
  private let logger: Logger

  init(
    _ state: DatasetState, _ writer: StoreWriter, at now: Int64, kinds: CustomKinds,
    logger: Logger
  ) {
    self.writer = writer
    self.state = state
    self.now = now
    self.kinds = kinds
    self.logger = logger
    session = TreeSession(writer.reader, edits: state.edits)
  }

  /// Begins another commit of the transaction, on the state after those before it.
  ///
  /// - Parameter time: When that commit is made.
  mutating func begin(at time: Int64) {
    now = time
    session = TreeSession(writer.reader, edits: state.edits)
  }

  /// The outcome of a batch for the layouts that should follow it.
  struct Consequences {
    var changes: [Commit.LayoutChange] = []
    var behind: [Commit.LayoutBehind] = []
    /// The names of those that the batch says are to be laid out from scratch, which is
    /// no work for a transaction.
    var toBeLaidOut: [String] = []

    /// Adds those of some layouts that it does not list yet.
    mutating func addToBeLaidOut(_ names: [String]) {
      let said = Set(
        (changes.map(\.layout) + behind.map(\.layout) + toBeLaidOut).map(ExactKey.init))
      for name in Set(names.map(ExactKey.init)).subtracting(said).map(\.string).sorted() {
        toBeLaidOut.append(name)
      }
    }
  }

  /// Applies a batch to the dataset's trees, or takes those that were edited when it was resolved,
  /// if the dataset is still at their base.
  ///
  /// - Throws: `StoreError` with `corrupt` where it does not fit them.
  mutating func edit(_ batch: LoggedBatch, as edited: EditedTrees?) throws {
    guard let edited, edited.base.isBase(of: state) else {
      return try state.carryOut(batch, in: session, path: writer.reader.path)
    }
    state.trees = edited.trees
    session.edits = edited.edits
  }

  /// Updates the active layouts by a batch that was applied to the dataset's trees, and appends it
  /// to the log; if that has grown long, writes the trees too.
  ///
  /// No error of a layout keeps the batch from being committed.
  ///
  /// - Parameter payload: The batch as the log has it.
  /// - Throws: The errors of reading the dataset and of writing.
  mutating func commit(_ batch: LoggedBatch, payload: [UInt8]) throws -> Consequences {
    if batch.isUndo { try state.recallFormer(writer.reader) }
    let entry = LogRow(
      after: state.head, operations: batch.weight, payload: payload, time: now)
    state.edits = session.edits
    state.head = LogHead(entry)
    var consequences = Consequences()
    for layout in state.layouts.values.sorted(by: { $0.row.name < $1.row.name }) {
      try follow(batch, layout, &consequences)
    }
    try writer.append(entry)
    try putMarks(of: batch)
    state.tail.add(entry)
    state.hasOwnCommits = true
    if state.isCheckpointDue { try state.checkpoint(writer, at: now) }
    assert(state.holdsInvariantsIfChecked(writer.reader))
    return consequences
  }

  /// Moves a layout in use on by a batch, or leaves it behind.
  private mutating func follow(
    _ batch: LoggedBatch, _ layout: LayoutState, _ consequences: inout Consequences
  ) throws {
    let (id, name) = (layout.row.id, layout.row.name)
    if batch.isEverything(for: id) {
      state.layouts[id] = nil
      return consequences.toBeLaidOut.append(name)
    }
    var layout = layout
    do {
      let context = try layout.apply(batch, state.trees, state.shapes, in: session)
      state.layouts[id] = layout
      consequences.changes.append(
        Commit.LayoutChange(layout: name, incarnation: layout.incarnation, context: context))
    } catch {
      if let refusal = LayoutRefusal(error) {
        state.layouts[id] = nil
        let error = LayoutCacheError(.cannotLayOut(state.id(ofLayout: name), refusal))
        return consequences.behind.append(Commit.LayoutBehind(layout: name, error))
      }
      // Nothing but the layout's own nodes was read. It is laid out again when it
      // is next asked for.
      guard let damage = Damage(error) else { throw error }
      leaveBehind(layout, damage, &consequences)
    }
  }

  /// Takes a damaged layout out of use.
  mutating func leaveBehind(
    _ layout: LayoutState, _ damage: Damage, _ consequences: inout Consequences
  ) {
    let id = state.id(ofLayout: layout.row.name)
    state.layouts[layout.row.id] = nil
    logger.warn(.isLeftBehind, id, damage.detail)
    consequences.changes.removeAll { $0.layout == layout.row.name }
    consequences.behind.append(
      Commit.LayoutBehind(layout: layout.row.name, .damaged(id, damage.detail)))
  }
}

// MARK: - Building

extension DatasetChange {
  /// Puts a dataset that was built in its own space in place of the items that there
  /// are. Its layouts are without results: nothing leads from those to these items.
  mutating func replaceItems(with trees: DatasetTrees, in space: NodeSpace, nextNode: Int64) throws
  {
    try writer.giveBack(.nodes(state.row.space))
    try writer.keep(space)
    state.row.space = space
    state.row.nextNode = nextNode
    state.trees = trees
    state.edits = TreeEdits()
    state.layouts = [:]
    for var layout in try writer.reader.layouts(of: state.row.id) {
      guard let result = layout.result else { continue }
      try writer.giveBack(.nodes(result.space))
      layout.result = nil
      try writer.put(layout)
    }
    try state.begin(writer, at: now)
  }
}

extension DatasetState {
  /// Notes in the log that the state's trees are a beginning, and stores them.
  mutating func begin(_ writer: StoreWriter, at now: Int64) throws {
    let entry = LogRow(
      after: head, operations: LoggedBatch.build.weight, payload: LoggedBatch.build.encode(),
      time: now)
    head = LogHead(entry)
    // The row first: a log belongs to a dataset that there is.
    try checkpoint(writer, at: now, isBeginning: true)
    try writer.append(entry)
  }
}

// MARK: - Layouts

extension DatasetChange {
  /// Makes a prepared layout the one that everybody is answered from.
  ///
  /// - Returns: Whether that is done. Otherwise another has been published in the meantime, or
  ///   it is too far behind to be moved on while others wait.
  mutating func publish(_ prepared: inout PreparedLayout) throws -> Publication {
    guard let row = try writer.reader.layout(named: prepared.base.name, of: state.row.id),
      row.isSameWork(as: prepared.base)
    else { return .isInVain }
    guard
      let extent = try writer.reader.logExtent(after: prepared.revision, upTo: state.head)
    else { return .isInVain }
    guard extent.operations <= Budgets.publishedOperations else { return .isBehind }
    guard try state.advance(&prepared, writer.reader) else { return .isInVain }
    var layout = prepared.layout
    if let space = prepared.ownSpace {
      try writer.keep(space)
      if let old = prepared.base.result { try writer.giveBack(.nodes(old.space)) }
    }
    layout.lastAsked = state.revision
    state.layouts[layout.row.id] = layout
    return try state.checkpoint(layout: layout.row.id, writer) ? .isDone : .isInVain
  }

  /// The outcome of publishing a layout.
  enum Publication {
    case isDone
    /// The dataset has changed so much in the meantime that the layout should follow before
    /// anybody has to wait for it.
    case isBehind
    /// The state that it was computed from no longer exists.
    case isInVain
  }

  /// Brings the layouts that a commit takes along into use.
  ///
  /// - Parameter asked: The layouts that somebody has asked for since the last commit.
  mutating func bringIntoUse(
    _ layouts: UpdatedLayouts, asked: OpenDatasets.AskedLayouts
  ) throws {
    let revision = state.revision
    for (id, layout) in state.layouts where asked.contains(layout.row.name) {
      state.layouts[id]?.lastAsked = revision
    }
    switch layouts {
    case .inUse: letGoOfUnasked()
    case .named(let names):
      letGoOfUnasked()
      // Any more than reading is done before, or after the commit.
      for name in names {
        _ = try state.bring(name, mayBeBehind: false, reader: writer.reader, kinds: kinds)
      }
    case .none: state.layouts = [:]
    case .upToDate:
      for row in try writer.reader.layouts(of: state.row.id)
      where !row.isOutdated
        && row.result.map({ $0.revision >= state.row.revision }) ?? false
      {
        _ = try state.bring(row.name, mayBeBehind: false, reader: writer.reader, kinds: kinds)
      }
    }
  }

  /// Lets layouts fall behind that nobody has asked for lately: each costs a commit as
  /// much as the dataset itself does. They catch up when they are asked for.
  private mutating func letGoOfUnasked() {
    let revision = state.revision
    // As almost always.
    if state.layouts.count <= Budgets.layoutsInUse,
      state.layouts.values.allSatisfy({ revision - $0.lastAsked <= Budgets.commitsInUse })
    {
      return
    }
    let layouts = state.layouts.sorted {
      ($0.value.lastAsked, $0.key) > ($1.value.lastAsked, $1.key)
    }
    for (place, (id, layout)) in layouts.enumerated()
    where place >= Budgets.layoutsInUse
      || revision - layout.lastAsked > Budgets.commitsInUse
    {
      state.layouts[id] = nil
    }
  }
}

extension LayoutRow {
  /// Whether work that began with one row still fits the other: the same layout with the
  /// same configuration, and with the same result, if any.
  func isSameWork(as other: LayoutRow) -> Bool {
    id == other.id && dataset == other.dataset && configuration == other.configuration
      && (result == nil && other.result == nil || isSameCheckpoint(as: other))
  }
}

extension Logger.Message {
  static let isLaidOutAnew: Logger.Message = "A stored layout is damaged and is laid out anew."
  static let isLeftBehind: Logger.Message = "A stored layout is damaged and is left behind."
}

extension Logger {
  /// Logs the damage of a stored layout, and what comes of it.
  func warn(_ message: Message, _ layout: LayoutID, _ detail: String) {
    warning(
      message,
      metadata: [
        "dataset": .string(layout.dataset), "layout": .string(layout.layout),
        "damage": .string(detail),
      ])
  }
}
