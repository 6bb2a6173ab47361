import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// The work of labels and of the key index; worlds and their verification judge the labels.
@Suite struct LabelTests {
  private let hash = KeyedHash(key: [UInt8](repeating: 7, count: 16))

  private func run(_ keys: [String]) -> ItemLeaf {
    var run = ItemLeaf()
    let side = Length(units: 64)
    for key in keys {
      run.append(Item(key: key, size: Size(width: side, height: side), columnSpan: 1))
    }
    return run
  }

  /// Items as an import leaves them, and the index of their keys.
  private func imported(
    _ count: Int
  ) throws -> (items: SumTree<ItemLeaf>, index: KeyIndex) {
    var sequence = LabelSequence()
    var entries: [KeyIndexEntry] = []
    var builder = TreeBuilder<ItemLeaf>(shape: TreeShapes.standard.items) { leaf in
      leaf.label = sequence.next()
      entries += leaf.keyHashes(hash).map { KeyIndexEntry(hash: $0, label: leaf.label) }
    }
    try builder.append(run((0..<count).map { "k\($0)" }))
    let items = try builder.finish()
    var keys = TreeBuilder<KeyIndexLeaf>(shape: TreeShapes.standard.keys)
    try keys.append(KeyIndexLeaf(entries: entries.sorted { $0.hash < $1.hash }))
    return (items, KeyIndex(tree: try keys.finish(), hash: hash))
  }

  /// The leaves of the index that some changes affect.
  private func leafCount(
    concernedBy changes: [KeyIndexChange], in index: KeyIndex
  ) throws -> Int {
    var starts: Set<Int> = []
    for change in changes {
      let found = try index.tree.firstLeaf(
        from: KeyIndexPosition(), where: { $0.lastHash.map { $0 >= change.hash } ?? false },
        in: TreeSession())
      starts.insert(found?.offset ?? -1)
    }
    return starts.count
  }

  @Test(arguments: [0, 1, 47, 48, 5000, 9999, 10_000])
  func anInsertionAfterAnImportCreatesOnePathAndFilesOneKey(place: Int) throws {
    var (items, index) = try imported(10_000)
    let editing = TreeSession()
    let changes = try items.replace(place..<place, with: run(["new"]), hash: hash, in: editing)
    #expect(changes.count == 1)
    #expect(editing.edits.createdNodes == items.height + 1)
    let filing = TreeSession()
    try index.apply(changes, in: filing)
    #expect(filing.edits.createdNodes == index.tree.height + 1)

    let deleting = TreeSession()
    let gone = try items.replace(place..<place + 1, with: nil, hash: hash, in: deleting)
    #expect(gone.count == 1)
    #expect(deleting.edits.createdNodes == items.height + 1)
  }

  /// 40 items at the top share two leaves with the 48 existing ones, of which four are filed again;
  /// inserted after the first eight of a leaf, those eight are; at the end there are 32, and room.
  @Test(arguments: [(0, 44), (5000, 48), (10_000, 40)])
  func aPageReplacesEachNodeOfTheIndexOnce(place: Int, filed: Int) throws {
    var (items, index) = try imported(10_000)
    let page = (0..<40).map { "new-\($0)" }
    let changes = try items.replace(place..<place, with: run(page), hash: hash, in: TreeSession())
    #expect(changes.count == filed)
    let leafCount = try leafCount(concernedBy: changes, in: index)
    #expect(index.tree.height == 2 && leafCount > 30)
    let session = TreeSession()
    try index.apply(changes, in: session)
    // The leaves, the two nodes above them, the root.
    #expect(session.edits.createdNodes == leafCount + 3)
    #expect(index.tree.count == 10_040)
  }

  /// Feeds mostly prepend pages: each time the entries of the prepended items change, and of
  /// those pushed into another leaf.
  @Test(arguments: [0, 100, 101])
  func insertingAtOnePlaceChangesFewEntriesEachTime(place: Int) throws {
    var sequence = LabelSequence()
    var builder = TreeBuilder<ItemLeaf>(shape: TreeShapes.standard.items) {
      $0.label = sequence.next()
    }
    try builder.append(run((0..<5000).map { "k\($0)" }))
    var items = try builder.finish()
    var changed = 0
    let pages = PropertyRun.steps(400)
    for page in 0..<pages {
      let new = (0..<40).map { "\(page)-\($0)" }
      changed += try items.replace(
        place..<place, with: run(new), hash: hash, in: TreeSession()
      ).count
    }
    // 40 are new, a split moves at most a leaf's 64, and relabelling adds a little.
    #expect(changed <= pages * (place == 0 ? 110 : 250), "\(changed) entries")
  }
}
