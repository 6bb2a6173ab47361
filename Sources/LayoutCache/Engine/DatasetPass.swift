import LayoutStore
import SumTree

/// A pass over the sections and items of a dataset at one revision, outside any transaction: a
/// caller that consumes it slowly delays no writer, and the write-ahead log stays bounded.
///
/// Nodes are read one by one. Once a checkpoint has deleted one of them, the revision is restored
/// from the new checkpoint by the log, and the rest of it copied into a temporary file.
struct DatasetPass {
  private let cache: LayoutCache
  private(set) var state: DatasetState
  private var nodes: any NodeSource
  /// The items and sections that have been delivered.
  private var done = (items: 0, sections: 0)

  /// - Parameter begin: Called in the transaction that finds the revision.
  init(
    over dataset: String, of cache: LayoutCache,
    begin: (DatasetState, StoreReader) throws -> Void = { _, _ in }
  ) throws {
    self.cache = cache
    nodes = PooledNodes(store: cache.store)
    state = try cache.store.read { reader in
      let state = try cache.current(dataset, reader: reader)
      try begin(state, reader)
      return state
    }
  }

  /// Creates a pass in a read transaction.
  init(over state: DatasetState, from reader: StoreReader, of cache: LayoutCache) {
    (self.state, nodes, self.cache) = (state, reader, cache)
  }

  /// A part of a section, in the order of its items.
  struct Part {
    let section: SectionLeaf.Entry
    /// The number of items before the section, and before the part.
    let firstItem: Int
    let start: Int
    /// Without items in the first part of a section.
    var items = ItemLeaf()
    /// The data of each item; `nil` unless requested.
    var data: [ItemData?]?
  }

  /// Calls `body` with each section, then with its items, part by part.
  ///
  /// - Parameter withItems: Whether `body` gets items.
  /// - Throws: ``LayoutCacheError`` with `concurrentModification` if the revision is no longer
  ///   known; read errors; errors of `body`.
  mutating func run(
    withItems: Bool = true, withData: Bool = false, _ body: (Part) throws -> Void
  ) throws {
    while true {
      var isInBody = false
      do {
        return try forEachPart(withItems, withData) { part in
          isInBody = true
          try body(part)
          isInBody = false
        }
      } catch {
        guard !isInBody, Damage(error) != nil, nodes is PooledNodes, try restore(withData) else {
          throw error
        }
      }
    }
  }

  private mutating func forEachPart(
    _ withItems: Bool, _ withData: Bool, _ body: (Part) throws -> Void
  ) throws {
    let (trees, session) = (state.trees, TreeSession(nodes, keepsNodes: false))
    var data = withData ? ItemDataFinger(trees.data, in: session) : nil
    var first = 0
    try trees.sections.forEachLeaf(in: session) { leaf, sectionStart in
      for (offset, entry) in leaf.entries.enumerated() {
        let end = first + entry.itemCount
        defer { first = end }
        if sectionStart + offset >= done.sections {
          try body(Part(section: entry, firstItem: first, start: first))
          done.sections += 1
        }
        guard withItems, end > done.items else { continue }
        try trees.items.forEachRun(of: done.items..<end, in: session) { run in
          let numbers = done.items..<(done.items + run.count)
          try body(
            Part(
              section: entry, firstItem: first, start: numbers.lowerBound, items: run,
              data: withData ? numbers.map { try data?.data(ofItem: $0) } : nil))
          done.items = numbers.upperBound
        }
      }
    }
  }

  /// Restores the revision after a checkpoint, in one transaction, as an undo would.
  ///
  /// - Returns: `false` if the checkpoint is still the same.
  private mutating func restore(_ withData: Bool) throws -> Bool {
    try cache.store.readLong { reader in
      let row = try reader.requireDataset(state.row.name)
      if row.isSameCheckpoint(as: state.row) { return false }
      var past = try cache.current(row.name, reader: reader)
      guard row.id == state.row.id, try past.revert(to: state.revision, reader) else {
        throw LayoutCacheError(.concurrentModification(dataset: row.name))
      }
      state = past
      nodes = try ScratchNodes.copied(from: reader) {
        try past.trees.read(from: done.items, withData: withData, in: $0)
      }
      return true
    }
  }
}

extension DatasetState {
  /// Reverts the commits after a revision, in the trees.
  ///
  /// - Returns: `false` if undo does not reach that far. The state is then unusable.
  fileprivate mutating func revert(to target: Int, _ reader: StoreReader) throws -> Bool {
    do {
      guard let undo = try reverted(to: target, reader) else { return revision == target }
      try carryOut(undo.batch, in: TreeSession(reader), path: reader.path)
    } catch let error as LayoutCacheError {
      switch error.code {
      case .cannotUndo, .batchTooLong, .noSuchRevision: return false
      default: throw error
      }
    }
    head.revision = target
    return true
  }
}
