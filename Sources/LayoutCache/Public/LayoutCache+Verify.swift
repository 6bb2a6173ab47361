import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Checks the file, every node, and every layout against one laid out from
  /// scratch, all at one moment.
  ///
  /// Found are: what SQLite's own check finds; nodes that are missing, have a wrong
  /// checksum, or contradict their parents; nodes that belong to nothing; keys that
  /// the indexes lack, or have too many of; counts that are wrong; and, in a layout
  /// that is up to date, every length, column and position that differs from a
  /// fresh placement.
  ///
  /// - Parameter name: The dataset to check; all of them, and the file as a
  ///   whole, where left out.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, and `database` where the file
  ///   can't be read at all. Damage is reported, not thrown.
  /// - Complexity: Reads the whole file; O(items · columns) for each layout, in
  ///   constant memory.
  public func verify(dataset name: String? = nil) throws -> VerificationReport {
    try classified(path) {
      try store.read { reader in
        var verification = Verification(
          reader: reader, hash: store.hash, kinds: customKinds)
        if let name {
          try verification.check(reader.requireDataset(name))
        } else {
          try verification.checkFile()
        }
        return verification.report
      }
    }
  }
}

/// A check while it runs.
struct Verification {
  let reader: StoreReader
  let hash: KeyedHash
  let kinds: CustomKinds
  var report = VerificationReport()
  /// The memory for index nodes, in bytes.
  private static let indexBytesMax = 128 << 20
  /// The nodes that belong to a dataset or layout.
  private var ownedNodeCount = 0

  init(reader: StoreReader, hash: KeyedHash, kinds: CustomKinds) {
    self.reader = reader
    self.hash = hash
    self.kinds = kinds
  }

  mutating func checkFile() throws {
    for problem in try reader.integrityProblems() { note("database", problem) }
    var areRowsSound = attempt("database") { verification in
      for id in try verification.reader.datasetIDs() {
        verification.attempt("dataset \(id)") {
          try $0.check($0.reader.dataset(id: id))
        }
      }
    }
    areRowsSound = areRowsSound && report.problems.isEmpty
    let nodeCount = try reader.nodeCount()
    // Behind a damaged row there are nodes that could not be counted.
    if areRowsSound && nodeCount != ownedNodeCount {
      note("database", "\(nodeCount - ownedNodeCount) nodes belong to no dataset or layout")
    }
  }

  mutating func check(_ row: DatasetRow) throws {
    let place = "dataset \(row.name)"
    report.datasetCount += 1
    let trees: DatasetTrees
    do {
      trees = try DatasetTrees(row, hash: hash, path: reader.path)
    } catch let error as StoreError {
      return note(place, error.description)
    }
    let nodes = TreeReader(reader, keepsNodes: false)
    var isSound = true
    isSound = check(place, "items", trees.items, nodes) && isSound
    isSound = check(place, "sections", trees.sections, nodes) && isSound
    isSound = check(place, "item keys", trees.itemKeys.tree, nodes) && isSound
    isSound = check(place, "section keys", trees.sectionKeys.tree, nodes) && isSound
    try checkSpace(row.space, of: place, nodeCount: nodes.nodesVisited, isSound: isSound)
    if isSound { attempt(place) { try $0.checkCounts(of: row, trees) } }
    // What the log holds behind the trees is followed, and the outcome checked.
    var state: DatasetState?
    if isSound {
      attempt(place, "log") { verification in
        state = try DatasetState.current(
          row.name, known: nil, reader: verification.reader, kinds: verification.kinds)
      }
    }
    if let trees = state?.trees { attempt(place) { try $0.checkContent(trees, place) } }
    for layout in try layouts(of: row) { check(layout, of: row, state: state) }
  }

  private mutating func layouts(of row: DatasetRow) throws -> [LayoutRow] {
    do {
      return try reader.layouts(of: row.id)
    } catch let error as StoreError {
      note("dataset \(row.name)", error.description)
      return []
    }
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

  /// Checks counts and keys of a dataset's trees against each other.
  private mutating func checkContent(_ trees: DatasetTrees, _ place: String) throws {
    report.itemCount += trees.items.count
    for (what, found, expected) in [
      ("items of its sections", trees.sections.summary.itemCount, trees.items.count),
      ("item keys", trees.itemKeys.tree.count, trees.items.count),
      ("section keys", trees.sectionKeys.tree.count, trees.sections.count),
    ] where found != expected {
      note(place, "it has \(found) \(what) instead of \(expected)")
    }
    // The index is read in the order of hashes, which is no order of items: it is
    // kept in memory as far as the budget goes, and then let go.
    var nodes = TreeReader(reader)
    var index = trees.itemKeys
    // As many keys in the index as items, and each item's key leading to it:
    // then there is no other and none is twice.
    var unfound = 0
    try trees.items.forEachLeaf(reader: TreeReader(reader, keepsNodes: false)) { leaf, _ in
      if nodes.bytesLoaded > Self.indexBytesMax {
        nodes = TreeReader(reader)
        index.tree = index.tree.unloaded()
      }
      for item in 0..<leaf.count {
        let key = leaf.key(at: item)
        let found = try index.firstCandidate(
          for: key, reader: nodes
        ) { $0 == leaf.label && leaf.firstIndex(ofKey: key) == item ? true : nil }
        if found == nil { unfound += 1 }
      }
    }
    try trees.sections.forEachLeaf(reader: TreeReader(reader, keepsNodes: false)) { leaf, start in
      for (offset, entry) in leaf.entries.enumerated()
      where try trees.sectionIndex(ofKey: entry.key, reader: nodes) != start + offset {
        unfound += 1
      }
    }
    if unfound > 0 { note(place, "\(unfound) keys are not found by its indexes") }
  }

  /// Checks a tree's nodes: that they are there, whole, and agree with their
  /// parents.
  ///
  /// - Returns: Whether they are.
  mutating func check<Leaf>(
    _ place: String, _ what: String, _ tree: SumTree<Leaf>, _ nodes: TreeReader
  ) -> Bool {
    attempt(place, what) { _ in try tree.checkInvariants(reader: nodes) }
  }

  /// Compares the nodes of a space with those that its trees hold.
  mutating func checkSpace(
    _ space: NodeSpace, of place: String, nodeCount: Int, isSound: Bool
  ) throws {
    let stored = try reader.nodeBytes(in: space).count
    ownedNodeCount += stored
    report.nodeCount += nodeCount
    if isSound && stored != nodeCount {
      note(place, "\(stored - nodeCount) of its nodes belong to none of its trees")
    }
  }

  mutating func note(_ place: String, _ detail: String) {
    report.problems.append(VerificationReport.Problem(place: place, detail: detail))
  }

  /// Runs a check and notes the damage that it throws.
  ///
  /// - Returns: Whether it threw none.
  @discardableResult
  mutating func attempt(
    _ place: String, _ what: String? = nil, _ body: (inout Verification) throws -> Void
  ) -> Bool {
    do {
      try body(&self)
      return true
    } catch {
      note(place, (what.map { "\($0): " } ?? "") + "\(error)")
      return false
    }
  }
}
