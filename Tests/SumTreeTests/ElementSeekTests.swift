import TestSupport
import Testing

@testable import SumTree

// Strategy: trees of tiny nodes, stored and unloaded, are searched for every element, range and
// state, and compared with a walk over the plain numbers.

@Suite struct ElementSeekTests {
  private struct Case {
    var tree: NumberTree
    var numbers: [Int]
    var session: TreeSession
    var context: Comment

    init(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let shape = TreeShape.tiny.randomElement(using: &random)!
      let count = Int.random(in: 1...160, using: &random)
      numbers = (0..<count).map { $0 / 3 + Int.random(in: 0...20, using: &random) }
      let memory = NodeMemory()
      tree = NumberTree(shape: shape)
      try tree.replace(0..<0, with: numbers)
      tree = try tree.stored(in: memory)
      session = TreeSession(memory)
      context = "\(shape)"
    }

    func columns(_ range: Range<Int>, from start: Columns = Columns()) -> Columns {
      numbers[range].reduce(into: start) { $0.advance(over: NumberSummary(of: $1), count: 1) }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func seekByOffsetFindsTheElementAndTheStateBeforeIt(seed: UInt64) throws {
    let test = try Case(seed: seed)
    for offset in test.numbers.indices {
      let place = try test.tree.place(at: offset, from: Columns(), in: test.session)
      #expect(place.leaf.numbers[place.index] == test.numbers[offset], test.context)
      #expect(place.offset == offset, test.context)
      #expect(place.before == test.columns(0..<offset), test.context)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func seekByStateFindsTheFirstElementThatReachesIt(seed: UInt64) throws {
    let test = try Case(seed: seed)
    for target in -1...test.numbers.max()! + 1 {
      let place = try test.tree.firstPlace(
        from: MaxSoFar(), where: { $0.value >= target }, in: test.session)
      let expected = test.numbers.firstIndex { $0 >= target }
      #expect(place?.offset == expected, test.context)
      guard let place, let expected else { continue }
      #expect(place.leaf.numbers[place.index] == test.numbers[expected], test.context)
      #expect(place.before.value == test.numbers[..<expected].max() ?? .min, test.context)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func foldingARangePassesItsElementsInOrder(seed: UInt64) throws {
    let test = try Case(seed: seed)
    var random = SeededGenerator(seed: seed &+ 1)
    for _ in 0..<200 {
      let start = Int.random(in: 0...test.numbers.count, using: &random)
      let range = start..<Int.random(in: start...test.numbers.count, using: &random)
      var folded = Columns(positions: [7, 2])
      try test.tree.fold(range, into: &folded, in: test.session)
      #expect(folded == test.columns(range, from: Columns(positions: [7, 2])), test.context)
    }
  }

  @Test func foldingReadsOnlyThePathsToTheEndsOfTheRange() throws {
    let memory = NodeMemory()
    let shape = TreeShape(leafCapacity: 4, fanOut: 4)
    let tree = try NumberTree.counting(to: 1000, shape: shape).stored(in: memory)
    let session = TreeSession(memory)
    var columns = Columns()
    try tree.fold(1..<999, into: &columns, in: session)
    #expect(session.nodesLoaded == 2 * tree.height + 1)
    let whole = TreeSession(memory)
    try tree.fold(0..<1000, into: &columns, in: whole)
    #expect(whole.nodesVisited == 0)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aFingerAgreesWithFreshSeeksWhereverItIsMoved(seed: UInt64) throws {
    let test = try Case(seed: seed)
    var random = SeededGenerator(seed: seed &+ 2)
    var byOffset = ElementFinger(test.tree, from: Columns(), in: test.session)
    var byState = ElementFinger(test.tree, from: MaxSoFar(), in: test.session)
    var offset = 0
    for _ in 0..<300 {
      // Mostly a little forward, sometimes back, sometimes anywhere, also outside.
      offset =
        Bool.random(using: &random)
        ? offset + Int.random(in: -2...6, using: &random)
        : Int.random(in: -2...test.numbers.count + 2, using: &random)
      let isInside = test.numbers.indices.contains(offset)
      #expect(try byOffset.seek(toElement: offset) == isInside, test.context)
      if isInside {
        #expect(byOffset.offset == offset, test.context)
        #expect(byOffset.leaf.numbers[byOffset.index] == test.numbers[offset], test.context)
        #expect(byOffset.before == test.columns(0..<offset), test.context)
        #expect(byOffset.behind == test.columns(0..<offset + 1), test.context)
      }
      let target = Int.random(in: 0...test.numbers.max()! + 3, using: &random)
      let expected = test.numbers.firstIndex { $0 >= target }
      #expect(try byState.seek(where: { $0.value >= target }) == (expected != nil), test.context)
      if let expected {
        #expect(byState.offset == expected, test.context)
        #expect(byState.before.value == test.numbers[..<expected].max() ?? .min, test.context)
      }
    }
  }

  @Test func aFingerOnNeighboursLooksAtEachLeafOnce() throws {
    let tree = try NumberTree.counting(to: 400, shape: TreeShape(leafCapacity: 8, fanOut: 8))
    let session = TreeSession()
    var finger = ElementFinger(tree, in: session)
    for offset in 0..<400 { #expect(try finger.seek(toElement: offset)) }
    var leafCount = 0
    try tree.forEachLeaf(in: TreeSession()) { _, _ in leafCount += 1 }
    #expect(session.nodesVisited == leafCount * (tree.height + 1))
  }
}
