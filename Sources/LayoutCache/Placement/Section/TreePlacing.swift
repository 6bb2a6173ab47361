import CollectionLayout
import LayoutGeometry
import SumTree

/// Places a section's items in order, and creates a leaf's elements from them: one per item, or
/// lines of several items.
protocol ItemPlacer<Leaf> {
  associatedtype Leaf: PlacedLeaf

  /// Places the next item, and appends the elements that it completes.
  ///
  /// - Throws: `LimitError` if the content would be too long.
  mutating func take(_ item: LayoutItem, into run: inout Leaf) throws

  /// Appends the elements of the last items.
  mutating func finish(into run: inout Leaf) throws
}

extension ItemPlacer {
  mutating func finish(into run: inout Leaf) throws {}
}

/// A kind that stores its elements in a tree.
protocol TreePlacing: SectionPlacing where Kept: KeptTree {
  associatedtype Placer: ItemPlacer where Placer.Leaf == Kept.Leaf

  /// Returns a placer that starts at the section's first item.
  func placer(of items: SectionItems) -> Placer

  /// Returns a placer that reproduces a stored section, given its history.
  func placer(of items: SectionItems, asIn kept: Kept) -> Placer

  /// Returns the stored section of a newly placed tree.
  func kept(_ tree: SumTree<Kept.Leaf>) -> Kept

  /// Checks the summary of the section's first items against the limits.
  func check(_ summary: Kept.Leaf.LeafSummary) throws(LimitError)

  /// Returns the number of columns that items were placed in.
  func columnCount(of kept: Kept) -> Int

  /// Returns the difference of a stored element from the expected one.
  ///
  /// - Parameter number: The element's index in the section.
  func difference(
    ofElement index: Int, of stored: Kept.Leaf, from fresh: Kept.Leaf, number: Int
  ) -> String
}

extension TreePlacing where Kept: SoleTree {
  func kept(_ tree: SumTree<Kept.Leaf>) -> Kept { Kept(tree: tree) }
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

  /// Builds the tree of all items, each node written once, in constant memory.
  ///
  /// - Parameter sink: As for ``layOut(_:into:work:)``.
  /// - Throws: As ``layOut(_:into:work:)``; errors of the placer.
  func tree(
    of items: SectionItems, placedBy placer: Placer, into sink: (any NodeSink)?
  ) throws -> SumTree<Kept.Leaf> {
    let shape = Kept.Leaf.shape(items.shapes)
    // A single leaf may be stored inline, without a node.
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
    // Elements that have been placed but not compared yet.
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
        difference = self.difference(ofElement: index, of: leaf, from: fresh, number: start + index)
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
