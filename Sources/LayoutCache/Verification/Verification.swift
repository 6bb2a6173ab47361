import CollectionLayout
import LayoutStore
import SumTree

/// A check in progress.
struct Verification {
  let reader: StoreReader
  let kinds: CustomKinds
  let shapes: TreeShapes
  var report = VerificationReport()
  /// The number of nodes that belong to a dataset or layout.
  private var ownedNodeCount = 0

  init(reader: StoreReader, kinds: CustomKinds, shapes: TreeShapes) {
    self.reader = reader
    self.kinds = kinds
    self.shapes = shapes
  }

  mutating func checkFile() throws {
    for problem in try reader.integrityProblems() { note("database", problem) }
    var areRowsSound = try attempt("database") { verification in
      for id in try verification.reader.datasetIDs() {
        try verification.attempt("dataset \(id)") {
          try $0.check($0.reader.dataset(id: id))
        }
      }
    }
    try attempt("templates") { verification in
      for row in try verification.reader.templates(after: nil, limit: .max) {
        _ = try row.decodedConfiguration(path: verification.reader.path)
      }
    }
    try attempt("database") { try $0.checkRemains() }
    areRowsSound = areRowsSound && report.problems.isEmpty
    let nodeCount = try reader.nodeCount()
    // After a damaged row there are nodes that could not be counted.
    if areRowsSound && nodeCount != ownedNodeCount {
      note("database", "\(nodeCount - ownedNodeCount) nodes belong to no dataset or layout")
    }
  }

  /// Counts the nodes to be reclaimed, and looks for storage that never would be.
  private mutating func checkRemains() throws {
    for case .nodes(let space) in try reader.remains() {
      ownedNodeCount += try reader.nodeBytes(in: space).count
    }
    for (count, noun) in [
      (try reader.unownedLogEntryCount(), "log entries"),
      (try reader.unownedRequestCount(), "requests"), (try reader.unownedMarkCount(), "marks"),
      (try reader.unownedContextCount(), "contexts"),
    ] where count > 0 {
      note("database", "\(count) \(noun) belong to no dataset")
    }
  }

  mutating func check(_ row: DatasetRow) throws {
    let place = "dataset \(row.name)"
    report.datasetCount += 1
    let trees: DatasetTrees
    do {
      trees = try DatasetTrees(row, reader, shapes)
    } catch let error as StoreError {
      return note(place, error.description)
    }
    let session = TreeSession(reader, keepsNodes: false)
    var isSound = true
    isSound = try check(place, "items", trees.items, session) && isSound
    isSound = try check(place, "data", trees.data, session) && isSound
    isSound = try check(place, "sections", trees.sections, session) && isSound
    isSound = try check(place, "item keys", trees.itemKeys.tree, session) && isSound
    isSound = try check(place, "section keys", trees.sectionKeys.tree, session) && isSound
    try checkSpace(row.space, of: place, nodeCount: session.nodesVisited, isSound: isSound)
    if isSound { try attempt(place) { try $0.checkCounts(of: row, trees) } }
    try attempt(place, "log") { verification in
      try verification.reader.checkLog(upTo: verification.reader.logHead(of: row.id))
    }
    try attempt(place, "requests") { try $0.reader.checkRequests(to: row.id) }
    try attempt(place, "marks") { _ = try $0.reader.marks(of: row.id) }
    try attempt(place, "views") { verification in
      let path = verification.reader.path
      _ = try verification.reader.views(of: row.id).map { try DatasetView($0, path: path) }
    }
    // The log entries after the trees are applied, and the result is checked.
    var state: DatasetState?
    if isSound {
      try attempt(place, "log") { verification in
        state = try DatasetState.current(
          row.name, known: nil, reader: verification.reader, kinds: verification.kinds,
          shapes: verification.shapes)
      }
    }
    if let trees = state?.trees { try attempt(place) { try $0.checkContent(trees, place) } }
    for layout in try layouts(of: row) { try check(layout, of: row, state: state) }
  }

  private mutating func layouts(of row: DatasetRow) throws -> [LayoutRow] {
    var layouts: [LayoutRow] = []
    try attempt("dataset \(row.name)") { layouts = try $0.reader.layouts(of: row.id) }
    return layouts
  }

  /// Checks a row's counts against its trees.
  private mutating func checkCounts(of row: DatasetRow, _ trees: DatasetTrees) throws {
    for (what, found, expected) in [
      ("items", trees.items.count, row.itemCount),
      ("sections", trees.sections.count, row.sectionCount),
    ] where found != expected {
      note("dataset \(row.name)", "it has \(found) \(what) instead of \(expected)")
    }
  }

  /// Checks the counts and keys of a dataset's trees against each other.
  private mutating func checkContent(_ trees: DatasetTrees, _ place: String) throws {
    report.itemCount += trees.items.count
    for (what, found, expected) in [
      ("items of its sections", trees.sections.summary.itemCount, trees.items.count),
      ("item keys", trees.itemKeys.tree.count, trees.items.count),
      ("section keys", trees.sectionKeys.tree.count, trees.sections.count),
    ] where found != expected {
      note(place, "it has \(found) \(what) instead of \(expected)")
    }
    let withData = trees.data.summary.itemCount
    if withData > trees.items.count {
      note(place, "it has data for \(withData) items, more than its \(trees.items.count) items")
    }
    // The index is read in the order of hashes, which is not that of the items: it is kept in
    // memory up to the budget, and then released.
    var session = TreeSession(reader)
    var index = trees.itemKeys
    // If there are as many keys in the index as items, and each item's key leads to the item,
    // then there are no other or duplicate keys.
    var unfound = 0
    try trees.items.forEachLeaf(in: TreeSession(reader, keepsNodes: false)) { leaf, _ in
      if session.bytesLoaded > Budgets.verificationBytes {
        session = TreeSession(reader)
        index.tree = index.tree.unloaded()
      }
      for item in 0..<leaf.count {
        let key = leaf.key(at: item)
        let found = try index.firstCandidate(
          for: key, in: session
        ) { $0 == leaf.label && leaf.firstIndex(ofKey: key) == item ? true : nil }
        if found == nil { unfound += 1 }
      }
    }
    try trees.sections.forEachLeaf(in: TreeSession(reader, keepsNodes: false)) { leaf, start in
      for (offset, entry) in leaf.entries.enumerated()
      where try trees.sectionIndex(ofKey: entry.key, in: session) != start + offset {
        unfound += 1
      }
    }
    if unfound > 0 { note(place, "\(unfound) keys are missing from its indexes") }
    if let order = trees.order,
      try !trees.isInOrder(order, TreeSession(reader, keepsNodes: false))
    {
      note(place, "its items are not in its order")
    }
  }

  /// Checks that a tree's nodes exist, are intact, and agree with their parents.
  ///
  /// - Returns: Whether they do.
  mutating func check<Leaf>(
    _ place: String, _ what: String, _ tree: SumTree<Leaf>, _ session: TreeSession
  ) throws -> Bool {
    try attempt(place, what) { _ in try tree.checkInvariants(in: session) }
  }

  /// Compares the nodes of a space with those of its trees.
  mutating func checkSpace(
    _ space: NodeSpace, of place: String, nodeCount: Int, isSound: Bool
  ) throws {
    let stored = try reader.nodeBytes(in: space).count
    ownedNodeCount += stored
    report.nodeCount += nodeCount
    guard isSound else { return }
    let unneeded = try stored - nodeCount - reader.baseCount(in: space)
    if unneeded != 0 { note(place, "\(unneeded) of its nodes belong to no tree") }
  }

  mutating func note(_ place: String, _ detail: String) {
    report.problems.append(VerificationReport.Problem(place: place, detail: detail))
  }

  /// Runs a check and records the damage that it throws.
  ///
  /// - Returns: Whether it threw none.
  /// - Throws: `StoreError` for a failure of the system, which is not damage.
  @discardableResult
  mutating func attempt(
    _ place: String, _ what: String? = nil, _ body: (inout Verification) throws -> Void
  ) throws -> Bool {
    do {
      try body(&self)
      return true
    } catch {
      if let failure = reader.environmentFailure(error) { throw failure }
      note(place, (what.map { "\($0): " } ?? "") + "\(error)")
      return false
    }
  }
}
