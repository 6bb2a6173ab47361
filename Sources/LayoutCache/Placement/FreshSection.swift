import CollectionLayout
import LayoutGeometry
import SumTree

/// A section as laying it out from scratch places it, to compare a stored one with.
struct FreshSection {
  let plan: SectionPlan
  let itemCount: Int
  let items: SectionItems
  let reader: TreeReader

  /// How a section's result differs from this one: its first difference, or `nil`.
  func difference(of result: SectionResult) throws -> String? {
    let content = result.content
    guard content.itemCount == itemCount else {
      return "\(content.itemCount) items are placed instead of \(itemCount)"
    }
    let wrongKind = "it is not of the kind that its configuration says"
    let comparison: Comparison
    switch plan.kind {
    case .waterfall(let plan):
      guard let tree = content.waterfall else { return wrongKind }
      comparison = try compare(tree, plan)
    case .lines(let plan):
      guard let tree = content.lines else { return wrongKind }
      comparison = try compare(tree, plan)
    case .custom(let plan):
      guard let tree = content.custom else { return wrongKind }
      comparison = try compare(tree, plan)
    case .computed(let plan):
      guard case .computed = content else { return wrongKind }
      comparison = Comparison(contentLength: try plan.contentLength(ofCount: itemCount))
    }
    if let difference = comparison.difference { return difference }
    let length = plan.fixedLength + comparison.contentLength
    return result.length == length ? nil : "its length is \(result.length) instead of \(length)"
  }

  private struct Comparison {
    var difference: String?
    var contentLength = Length.zero
  }

  /// Places a waterfall's items anew; a stable one's given their columns, which are data:
  /// only its lengths follow from the items.
  private func compare(
    _ tree: SumTree<WaterfallLeaf>, _ plan: WaterfallPlan
  ) throws -> Comparison {
    var items = items
    var placement = WaterfallPlacement(plan: plan)
    var placed = Cursor(tree, at: ElementOffset(), reader: reader)
    while try placed.next() {
      let leaf = placed.leaf
      for index in 0..<leaf.count {
        let item = placed.offset + index
        let wanted = plan.measure(try items.item(at: item))
        let covered = leaf.columnRange(at: index)
        guard covered.count == wanted.columnSpan, covered.upperBound <= plan.tracks.count else {
          return Comparison(difference: "item \(item) covers columns \(covered)")
        }
        let column: Int
        if plan.assignment == .stable {
          column = covered.lowerBound
          try placement.advance(
            column: column, columnSpan: covered.count, length: wanted.length)
        } else {
          column = try placement.place(length: wanted.length, columnSpan: covered.count)
        }
        let length = Length(units: leaf.advances[index]) - plan.lineSpacing
        if length != wanted.length {
          return Comparison(
            difference: "item \(item) has length \(length) instead of \(wanted.length)")
        }
        if column != covered.lowerBound {
          return Comparison(
            difference: "item \(item) starts in column \(covered.lowerBound) instead of \(column)")
        }
      }
    }
    return Comparison(contentLength: placement.contentLength)
  }

  private func compare(_ tree: SumTree<LineLeaf>, _ plan: LinePlan) throws -> Comparison {
    var items = items
    var breaker = LineBreaker(plan: plan)
    var stored = LineStarts(tree, reader: reader)
    var place = LinePlace()
    var difference: String?
    func compare(_ line: Line) throws {
      if difference != nil { return }
      let next = try stored.place(behind: place)
      guard let next else {
        difference = "line \(place.line) is missing"
        return
      }
      if next.item - place.item != line.count {
        difference =
          "line \(place.line) has \(next.item - place.item) items instead of \(line.count)"
      } else if next.position - place.position != (line.length + plan.lineSpacing).units {
        let length = Length(units: next.position - place.position) - plan.lineSpacing
        difference = "line \(place.line) has length \(length) instead of \(line.length)"
      }
      place = next
    }
    for index in 0..<itemCount where difference == nil {
      try breaker.take(plan.size(of: items.item(at: index)), compare)
    }
    if let line = try breaker.last() { try compare(line) }
    return Comparison(
      difference: difference,
      contentLength: tree.summary.contentLength(spacing: plan.lineSpacing))
  }

  private func compare(_ tree: SumTree<CustomLeaf>, _ plan: CustomPlan) throws -> Comparison {
    var items = items
    var state: [Int64] = []
    var placed = Cursor(tree, at: ElementOffset(), reader: reader)
    while try placed.next() {
      let leaf = placed.leaf
      var fresh = CustomLeaf()
      for index in 0..<leaf.count {
        let placement = try plan.place(try items.item(at: placed.offset + index), state: &state)
        fresh.append(placement, state: state)
      }
      let range = 0..<leaf.count
      if fresh != leaf,
        let index = range.first(where: { fresh.slice($0..<($0 + 1)) != leaf.slice($0..<($0 + 1)) })
      {
        return Comparison(
          difference: "item \(placed.offset + index) is not where its kind places it")
      }
    }
    return Comparison(contentLength: tree.summary.contentLength)
  }
}
