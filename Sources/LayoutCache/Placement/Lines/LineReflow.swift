import CollectionLayout
import LayoutGeometry
import SumTree

/// Breaks a section's lines again where its items have changed.
///
/// Around each hunk of changes: from the line of the item before it, which may have
/// room now, until a line starts with the same unchanged item as before. What lies
/// behind that only moves.
struct LineReflow {
  private(set) var tree: SumTree<LineLeaf>
  private(set) var edits: TreeEdits
  private(set) var change = PlacementChange()
  /// Whether any line is another one than at first.
  private(set) var isEdited = false
  private let plan: LinePlan
  private var items: SectionItems
  private let reader: TreeReader

  /// - Parameter items: The section's items after the changes.
  init(
    _ tree: SumTree<LineLeaf>, plan: LinePlan, items: SectionItems, edits: TreeEdits,
    reader: TreeReader
  ) {
    self.tree = tree
    self.edits = edits
    self.plan = plan
    self.items = items
    self.reader = reader
  }

  /// Moves on by changes.
  ///
  /// - Throws: `LimitError` for a line that is too long; what reading nodes throws.
  /// - Complexity: O(log items) nodes for each hunk, and O(1) for each item of the
  ///   lines that are broken again.
  mutating func run(_ changes: ItemHunks) throws {
    let old = tree
    var oldLines = LineStarts(old, reader: reader)
    var lineShift = 0
    var hunk = 0
    var agreed: Agreement?
    while hunk < changes.hunks.count {
      let shift = changes.shift(behind: hunk - 1)
      var start = Agreement(
        item: 0, line: try oldLines.line(of: changes.hunks[hunk].old.lowerBound - 1))
      start.item = start.line.item + shift
      // What has been broken before this hunk has seen its first items.
      if let agreed, agreed.item > start.item { start = agreed }
      let (broken, end) = try breakLines(from: start, in: changes, at: &hunk, of: &oldLines)
      // Lines equal to those that they stand for stay as they are.
      let equalCount = min(broken.equalCount, end.line.line - start.line.line)
      let range = (start.line.line + equalCount)..<end.line.line
      if !range.isEmpty || broken.lines.count > equalCount { isEdited = true }
      try tree.replaceSubrange(
        (range.lowerBound + lineShift)..<(range.upperBound + lineShift),
        with: broken.lines.slice(equalCount..<broken.lines.count), reader: reader, edits: &edits)
      let growth = broken.lines.count - equalCount - range.count
      try note(from: start, to: end, lineShift: lineShift, growth: growth, old, changes)
      lineShift += growth
      agreed = end
      hunk += 1
    }
  }

  /// A place where a new line starts with the same item as an old one, or where both
  /// end.
  private struct Agreement {
    /// The item's index after the changes.
    var item: Int
    /// The old line.
    var line: LinePlace
  }

  /// Lines that have been broken again.
  private struct BrokenLines {
    /// How many of the first are equal to the old lines from the same place on: a
    /// change among equal items makes the same lines of others.
    var equalCount = 0
    var lines = LineLeaf()
    private var length = Length.zero

    /// - Throws: `LimitError` where they become longer than any content.
    mutating func append(
      _ line: Line, spacing: Length, insteadOf old: inout LineStarts, at place: inout LinePlace
    ) throws {
      length += line.length + spacing
      try Limits.checkContent(length - spacing)
      lines.append(line, spacing: spacing)
      if equalCount == lines.count - 1, let next = try old.place(behind: place),
        next.item - place.item == line.count,
        next.position - place.position == (line.length + spacing).units
      {
        equalCount += 1
        place = next
      }
    }
  }

  /// Breaks lines until they agree with the old ones.
  ///
  /// - Parameter hunk: The hunk to begin with; becomes the last that was passed.
  private mutating func breakLines(
    from start: Agreement, in changes: ItemHunks, at hunk: inout Int, of oldLines: inout LineStarts
  ) throws -> (BrokenLines, Agreement) {
    let (plan, spacing) = (plan, plan.lineSpacing)
    var broken = BrokenLines()
    var compared = oldLines
    var place = start.line
    var breaker = LineBreaker(plan: plan)
    var (next, item) = (start.item, start.item)
    var end: Agreement?
    while end == nil, item < changes.count {
      let size = plan.size(of: try items.item(at: item))
      item += 1
      try breaker.take(size) { line in
        if end != nil { return }
        try broken.append(line, spacing: spacing, insteadOf: &compared, at: &place)
        next += line.count
        while hunk + 1 < changes.hunks.count, next > changes.hunks[hunk + 1].new.lowerBound {
          hunk += 1
        }
        guard next >= changes.hunks[hunk].new.upperBound else { return }
        let old = next - changes.shift(behind: hunk)
        if let line = try oldLines.line(startingWith: old) {
          end = Agreement(item: next, line: line)
        }
      }
    }
    change.recomputedItems += item - start.item
    if let end { return (broken, end) }
    if let line = try breaker.last() {
      try broken.append(line, spacing: spacing, insteadOf: &compared, at: &place)
    }
    hunk = changes.hunks.count - 1
    return (broken, Agreement(item: changes.count, line: oldLines.end))
  }

  /// Notes what breaking lines has moved.
  ///
  /// - Parameters:
  ///   - lineShift: How many lines later than the old ones the new lines start.
  ///   - growth: How many more of them there are.
  private mutating func note(
    from start: Agreement, to end: Agreement, lineShift: Int, growth: Int,
    _ old: SumTree<LineLeaf>, _ changes: ItemHunks
  ) throws {
    let first = min(
      start.line.position, try tree.position(ofLine: start.line.line + lineShift, reader: reader))
    let newEnd = try tree.position(
      ofLine: end.line.line + lineShift + growth, reader: reader)
    let isIndexed = end.item == end.line.item
    change.note(items: start.item..<(isIndexed ? end.item : changes.count))
    var last = max(newEnd, end.line.position)
    if newEnd != end.line.position {
      change.note(items: start.item..<changes.count)
      last = max(last, old.summary.advance, tree.summary.advance)
    }
    change.note(interval: first..<max(first, last - plan.lineSpacing.units))
  }
}

extension SumTree<LineLeaf> {
  /// Where a line starts, or behind the last line where the next one would.
  fileprivate func position(ofLine line: Int, reader: TreeReader) throws -> Int64 {
    if line >= count { return summary.advance }
    let found = try leaf(containing: line, from: LinePlace(), reader: reader)
    var place = found.before
    while place.line < line { place.pass(place.line - found.offset, of: found.leaf) }
    return place.position
  }
}
