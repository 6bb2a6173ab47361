import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The rule by which a change keeps a cell in place, by a scan of all cells: the first visible one
/// that remains, of those that the change neither moves nor resizes if there are any.
struct WorldAnchor {
  private struct Cell {
    var key: ExactKey
    var section: ExactKey
    /// Along the main axis, from the leading end.
    var range: Range<Int64>
  }

  private struct Measures: Equatable {
    var size: [Double]
    var span: Int
    var lengths: [Int64?]
  }

  private struct Side {
    var cells: [Cell]
    var measures: [ExactKey: Measures] = [:]

    init(_ feed: OracleFeed, _ space: WorldSpace) {
      cells = feed.oracle.elementsInContainer(visible: nil).compactMap { element in
        guard let key = element.key, !element.frame.isEmpty else { return nil }
        return Cell(
          key: ExactKey(key), section: ExactKey(element.sectionKey),
          range: space.start(of: element.frame)..<space.end(of: element.frame))
      }
      for item in feed.sections.flatMap(\.items) {
        measures[ExactKey(item.key)] = Measures(
          size: [item.width, item.height], span: item.span,
          lengths: [item.preferredLength, item.preferredCrossLength])
      }
    }
  }

  let before: (space: WorldSpace, feed: OracleFeed)
  let after: (space: WorldSpace, feed: OracleFeed)

  init(_ text: String, from before: OracleFeed, to after: OracleFeed) {
    self.before = (WorldSpace(text: text, before.oracle.contentSize), before)
    self.after = (WorldSpace(text: text, after.oracle.contentSize), after)
  }

  /// Whether a visible rectangle may be moved to a place by the rule.
  ///
  /// - Returns: `nil` if no cell remains; otherwise a text if the place is wrong.
  func problem(
    of moved: UnitRect, from visible: UnitRect, _ updates: DatasetUpdates
  ) -> String? {
    let (old, new) = (Side(before.feed, before.space), Side(after.feed, after.space))
    let (start, now) = (before.space.start(of: visible), after.space.start(of: moved))
    let length = before.space.end(of: visible) - start
    let last = max(0, after.space.length - length)
    guard (0...last).contains(now) else { return "\(now) is outside of the content" }
    let inSight = old.cells.filter { $0.range.overlaps(start..<(start + length)) }
    let ordered =
      inSight.filter { $0.range.lowerBound >= start }
      + inSight.filter { $0.range.lowerBound < start }
    var present: [ExactKey: Cell] = [:]
    for cell in new.cells { present[cell.key] = cell }
    let remaining = ordered.filter { present[$0.key] != nil }
    let placed = Set(
      updates.items.filter { [.insert, .move].contains($0.operation) }.map { ExactKey($0.key) })
    let moves = Set(
      updates.sections.filter { $0.operation == .move }.map { ExactKey($0.key) })
    let untouched = remaining.first {
      !placed.contains($0.key) && !moves.contains($0.section)
        && old.measures[$0.key] == new.measures[$0.key]
    }
    guard let anchor = untouched ?? remaining.first, let cell = present[anchor.key] else {
      return nil
    }
    let wanted = cell.range.lowerBound - (anchor.range.lowerBound - start)
    // A partly visible cell may have become so short that it would be invisible.
    if cell.range.upperBound <= wanted || now == max(0, min(wanted, last)) { return nil }
    return "'\(anchor.key.string)' of \(anchor.range) is at \(cell.range): \(start) becomes \(now)"
  }
}

extension WorldSpace {
  /// The content's length along the main axis.
  var length: Int64 { isVertical ? contentSize.height : contentSize.width }

  /// A rectangle over the whole container, of a start and a length along the main axis.
  func across(from start: Int64, _ length: Int64) -> UnitRect {
    if isVertical {
      return UnitRect(x: 0, y: start, width: contentSize.width, height: length)
    }
    let x = isMirrored ? contentSize.width - start - length : start
    return UnitRect(x: x, y: 0, width: length, height: contentSize.height)
  }
}

extension World {
  /// A visible rectangle in a layout's content and a little outside.
  func anyVisible(_ space: WorldSpace) -> UnitRect {
    let length = Int64.random(in: 640...64_000, using: &generator)
    return space.across(
      from: .random(in: -2000...max(-2000, space.length - length + 2000), using: &generator),
      length)
  }

  /// The offset that a commit returns for a client's visible rectangle.
  func compare(
    anchorOf commit: Commit, _ visible: UnitRect, _ place: Place, since before: WorldDataset
  ) {
    let dataset = datasets[place.dataset]
    guard let change = commit.layouts.first(where: { $0.layout == id(place).layout }),
      !change.context.invalidateEverything
    else { return }
    let adjustment = change.context.contentOffsetAdjustment
    var moved = visible
    moved.x += adjustment.x.units
    moved.y += adjustment.y.units
    let anchor = WorldAnchor(
      before.notes[place.layout].text, from: before.model.layouts[place.layout].feed,
      to: dataset.model.layouts[place.layout].feed)
    let problem = anchor.problem(of: moved, from: visible, commit.updates)
    if let problem { Issue.record("anchor in \(id(place)) of \(visible): \(problem)") }
    count("anchored")
  }
}
