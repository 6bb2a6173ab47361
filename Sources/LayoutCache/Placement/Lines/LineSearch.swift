import CollectionLayout
import LayoutGeometry
import SumTree

/// Finds placed items of one section that is made of lines.
struct LineSearch {
  private let tree: SumTree<LineLeaf>
  private let plan: LinePlan
  private let items: SectionItems
  private let reader: TreeReader

  init(_ tree: SumTree<LineLeaf>, plan: LinePlan, items: SectionItems, reader: TreeReader) {
    self.tree = tree
    self.plan = plan
    self.items = items
    self.reader = reader
  }

  /// Calls `take` with the items that intersect a rectangle, by index, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical space, from the content's start.
  ///   - firstItem: The least index that is wanted.
  /// - Complexity: O(log items) nodes, and the items of the lines that the rectangle
  ///   meets.
  func forEachItem(
    in rect: Rect, from firstItem: Int, _ take: (PlacedCell) throws -> Bool
  ) throws {
    let spacing = plan.lineSpacing.units
    let start = rect.minY.units
    var items = self.items
    var cursor = Cursor(tree, at: LinePlace(), reader: reader)
    var found = try cursor.seek { $0.position - spacing > start && $0.item > firstItem }
    while found {
      let leaf = cursor.leaf
      var place = cursor.before
      for index in 0..<leaf.count {
        if place.position >= rect.maxY.units { return }
        let line = place
        place.pass(index, of: leaf)
        if place.position - spacing <= start || place.item <= firstItem { continue }
        let frames = try frames(leaf.line(at: index, spacing: plan.lineSpacing), at: line, &items)
        for (offset, var frame) in frames.enumerated() where line.item + offset >= firstItem {
          frame.origin.y += Length(units: line.position)
          guard frame.intersects(rect) else { continue }
          if try !take(PlacedCell(index: line.item + offset, frame: frame)) { return }
        }
      }
      found = try cursor.next()
    }
  }

  /// The item with an index.
  ///
  /// - Complexity: O(log items) nodes, and the items of its line.
  func item(at index: Int) throws -> PlacedCell {
    guard
      let found = try tree.firstLeaf(
        from: LinePlace(), where: { $0.item > index }, reader: reader)
    else { throw Self.missingItems }
    var line = found.before
    var number = 0
    while number < found.leaf.count, line.item + found.leaf.counts[number] <= index {
      line.pass(number, of: found.leaf)
      number += 1
    }
    guard number < found.leaf.count else { throw Self.missingItems }
    var items = self.items
    let frames = try frames(
      found.leaf.line(at: number, spacing: plan.lineSpacing), at: line, &items)
    var frame = frames[index - line.item]
    frame.origin.y += Length(units: line.position)
    return PlacedCell(index: index, frame: frame)
  }

  private static var missingItems: DamagedLayout {
    DamagedLayout(detail: "it has fewer items than its dataset")
  }

  private func frames(
    _ line: Line, at place: LinePlace, _ items: inout SectionItems
  ) throws -> [Rect] {
    var sizes: [Size] = []
    for index in place.item..<(place.item + line.count) {
      sizes.append(plan.size(of: try items.item(at: index)))
    }
    return plan.frames(
      of: sizes, length: line.length, isLast: place.line == tree.count - 1)
  }
}
