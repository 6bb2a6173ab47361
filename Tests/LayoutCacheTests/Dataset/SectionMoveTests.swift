import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: sections and items are moved in the trees of a dataset without a file, and in arrays.
// The work is counted in created nodes, not timed.
//
// Invariants: the trees are intact, and hold the arrays' items and data under their keys; moving a
// section past others costs as much as moving these past it, and changes the entry of each moved
// key in its place.

@Suite struct SectionMoveTests {
  private typealias List = [(key: String, items: [Item])]

  private static func run(_ items: [Item]) -> ItemRun {
    var run = ItemRun()
    for item in items { run.append(item) }
    return run
  }

  private static func items(_ section: String, _ count: Int) throws -> [Item] {
    try (0..<count).map {
      try Item(
        key: "\(section)-\($0)", width: 4, height: 3,
        data: $0 % 3 == 0 ? ItemData(json: #"{"n":\#($0)}"#) : nil)
    }
  }

  private static func trees(
    _ list: List, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> DatasetTrees {
    var trees = DatasetTrees(hash: KeyedHash(key: [UInt8](repeating: 7, count: 16)), shapes: shapes)
    for (index, section) in list.enumerated() {
      let reference = SectionReference(index: index, key: section.key)
      try trees.apply(.insertSection(reference, style: nil), in: session)
      if section.items.isEmpty { continue }
      try trees.apply(.insert(run(section.items), at: 0, of: reference), in: session)
    }
    return trees
  }

  private static func move(_ list: List, from old: Int, to new: Int) -> ResolvedOperation {
    let entry = SectionLeaf.Entry(key: list[old].key, itemCount: list[old].items.count)
    return .sections(
      SectionSplice(
        before: .init(index: old, entry: entry), after: .init(index: new, entry: entry)))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func movesFollowArrays(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var list: List = try (0..<7).map {
      ("s\($0)", try Self.items("s\($0)", Int.random(in: 0...30, using: &generator)))
    }
    let session = TreeSession()
    var trees = try Self.trees(list, .tiny, in: session)
    for _ in PropertyRun.each(seed, steps: 60) {
      let old = Int.random(in: 0..<list.count, using: &generator)
      let new = Int.random(in: 0..<list.count, using: &generator)
      if generator.oneIn(3), !list[old].items.isEmpty {
        let start = Int.random(in: 0..<list[old].items.count, using: &generator)
        let moved = Array(list[old].items[start...].prefix(5))
        list[old].items.removeSubrange(start..<(start + moved.count))
        let place = Int.random(in: 0...list[new].items.count, using: &generator)
        list[new].items.insert(contentsOf: moved, at: place)
        try trees.apply(
          .move(
            Self.run(moved), from: (SectionReference(index: old, key: list[old].key), start),
            to: (SectionReference(index: new, key: list[new].key), place)),
          in: session)
      } else if old != new {
        try trees.apply(Self.move(list, from: old, to: new), in: session)
        list.insert(list.remove(at: old), at: new)
      }
      try trees.checkInvariants(in: session)
      let items = list.flatMap(\.items)
      #expect(try trees.keys(ofItems: 0..<items.count, in: session) == items.map(\.key))
      #expect(try trees.data.run(of: 0..<items.count, in: session).items == items.map(\.data))
      for (index, section) in list.enumerated() {
        #expect(try trees.items(ofSection: index, in: session).count == section.items.count)
      }
    }
  }

  /// The nodes created by an operation.
  private static func nodes(_ operation: ResolvedOperation, _ trees: DatasetTrees) throws -> Int {
    var trees = trees
    let session = TreeSession()
    try trees.apply(operation, in: session)
    return session.edits.createdNodes
  }

  @Test func aMoveFilesTheFewerKeysAgain() throws {
    let count = PropertyRun.steps(0) > 0 ? 300_000 : 12_000
    let list: List = try [("a", count), ("small", 20), ("b", count)].map {
      ($0.0, try Self.items($0.0, $0.1))
    }
    let trees = try Self.trees(list, .standard, in: TreeSession())
    let a = SectionReference(index: 0, key: "a")
    let item = Self.run([list[0].items[count / 2]])
    let change = try Self.nodes(.change(item.items, to: item.items, at: count / 2, of: a), trees)
    let small = try Self.nodes(Self.move(list, from: 1, to: 0), trees)
    let past = try Self.nodes(Self.move(list, from: 0, to: 1), trees)
    let large = try Self.nodes(Self.move(list, from: 0, to: 2), trees)
    let nodes = "change \(change), small \(small), past \(past), large \(large)"
    #expect(past <= small + 8, "\(nodes)")
    #expect(past <= 100 * change, "\(nodes)")
    #expect(large <= count / 8, "\(nodes)")
  }
}
