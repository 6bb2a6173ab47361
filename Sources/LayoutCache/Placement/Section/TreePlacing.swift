import CollectionLayout
import LayoutGeometry
import SumTree

/// Places a section's items one after the other, and makes elements of a leaf of
/// them: an item each, or a line of several.
protocol ItemPlacer<Leaf> {
  associatedtype Leaf: PlacedLeaf

  /// Places the next item, and appends the elements that it completes.
  ///
  /// - Throws: `LimitError` where the content would become too long.
  mutating func take(_ item: LayoutItem, into run: inout Leaf) throws

  /// Appends what the last items come to.
  mutating func finish(into run: inout Leaf) throws
}

extension ItemPlacer {
  mutating func finish(into run: inout Leaf) throws {}
}

/// A kind that keeps what it places in a tree.
protocol TreePlacing: SectionPlacing where Kept: KeptTree {
  associatedtype Placer: ItemPlacer where Placer.Leaf == Kept.Leaf

  /// Returns the placer of the items from the section's first on.
  func placer(of items: SectionItems) -> Placer

  /// What places them as a stored section has them: given what is data in it.
  func placer(of items: SectionItems, asIn kept: Kept) -> Placer

  /// Returns the stored result of a tree that has been placed from scratch.
  func kept(_ tree: SumTree<Kept.Leaf>) -> Kept

  /// Holds what items come to, from the section's first on, to the limits.
  func check(_ summary: Kept.Leaf.LeafSummary) throws(LimitError)

  /// The columns that items have been placed in.
  func columnCount(of kept: Kept) -> Int

  /// How an element of a stored leaf differs from what it should be.
  ///
  /// - Parameter number: The element's, counted from the section's first.
  func difference(
    ofElement index: Int, of stored: Kept.Leaf, from fresh: Kept.Leaf, number: Int
  ) -> String
}

extension TreePlacing {
  func placer(of items: SectionItems, asIn kept: Kept) -> Placer { placer(of: items) }

  func check(_ summary: Kept.Leaf.LeafSummary) throws(LimitError) {}

  func columnCount(of kept: Kept) -> Int { 0 }

  func keptOfNoItems(_ shapes: TreeShapes) -> Kept {
    kept(SumTree(shape: Kept.Leaf.shape(shapes)))
  }

  func layOut(
    _ items: SectionItems, into sink: (any NodeSink)?, work: inout LayoutWork
  ) throws -> Kept {
    let kept = kept(try tree(of: items, placedBy: placer(of: items), into: sink))
    work.recomputedItems += items.count
    work.recomputedColumns += columnCount(of: kept)
    return kept
  }

  /// The tree of all items, each node written once, in constant memory.
  ///
  /// - Parameter sink: As for ``layOut(_:into:work:)``.
  /// - Throws: As the same; what the placer throws.
  func tree(
    of items: SectionItems, placedBy placer: Placer, into sink: (any NodeSink)?
  ) throws -> SumTree<Kept.Leaf> {
    let shape = Kept.Leaf.shape(items.shapes)
    // Of what fits a leaf it is to be seen whether it takes a node.
    let isSmall = items.count <= shape.leafCapacity
    var builder = TreeBuilder<Kept.Leaf>(shape: shape, sink: isSmall ? nil : sink)
    var placer = placer
    var total = Kept.Leaf.LeafSummary.identity
    func append(_ run: Kept.Leaf) throws {
      total.append(run.summary)
      try check(total)
      try builder.append(run)
    }
    try items.forEachRun { count, item in
      var run = Kept.Leaf()
      for index in 0..<count { try placer.take(item(index), into: &run) }
      try append(run)
    }
    var last = Kept.Leaf()
    try placer.finish(into: &last)
    try append(last)
    let tree = try builder.finish()
    if isSmall, let sink { try kept(tree).store(into: sink) }
    return tree
  }

  func difference(of kept: Kept, _ items: SectionItems) throws -> String? {
    var items = items
    var placer = placer(of: items, asIn: kept)
    var next = 0
    // Items that have been placed and not compared yet.
    var fresh = Kept.Leaf()
    func place(atLeast count: Int) throws {
      while fresh.count < count, next < items.count {
        try placer.take(items.item(at: next), into: &fresh)
        next += 1
        if next == items.count { try placer.finish(into: &fresh) }
      }
    }
    var difference: String?
    try kept.tree.forEachLeaf(in: items.session) { leaf, start in
      if difference != nil { return }
      try place(atLeast: leaf.count)
      let equalCount = min(leaf.count, fresh.count)
      if let index = (0..<equalCount).first(where: {
        !leaf.isElement($0, equalTo: $0, of: fresh)
      }) {
        difference = self.difference(
          ofElement: index, of: leaf, from: fresh, number: start + index)
      } else if equalCount < leaf.count {
        difference = "it has more than \(start + equalCount) elements"
      }
      fresh = fresh.slice(equalCount..<fresh.count)
    }
    if let difference { return difference }
    try place(atLeast: 1)
    return fresh.count == 0 ? nil : "it has only \(kept.tree.count) elements"
  }
}
