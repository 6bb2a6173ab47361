import CollectionLayout
import LayoutGeometry
import SumTree

/// A cell that a client keeps in its place when the layout changes around it.
struct Anchor {
  var key: String
  /// Where it stood.
  var frame: Rect
}

extension LayoutSnapshot {
  /// The first visible cell that the dataset still has later.
  ///
  /// - Parameter later: The dataset's trees then, which `session` reads.
  func anchor(
    in visible: Rect, remainingIn later: DatasetTrees, _ session: TreeSession
  ) throws -> Anchor? {
    var anchor: Anchor?
    var work = QueryWork.none
    // Where an effect shows a cell is not where it stands.
    try forEachCell(in: visible.bounded, work: &work) { cell in
      if try later.itemIndex(ofKey: cell.key, in: session) != nil {
        anchor = Anchor(
          key: cell.key, frame: plan.space.content(cell.frame, mainLength: mainLength))
      }
      return anchor == nil
    }
    return anchor
  }

  /// By how much a content offset changes that keeps an anchor where it was.
  func contentOffsetAdjustment(
    keeping anchor: Anchor?, _ session: TreeSession
  ) throws -> Point {
    guard let anchor, let moved = try attributes(forKey: anchor.key, in: session) else {
      return .zero
    }
    return switch plan.space.scrollAxis {
    case .vertical: Point(x: .zero, y: moved.frame.minY - anchor.frame.minY)
    case .horizontal: Point(x: moved.frame.minX - anchor.frame.minX, y: .zero)
    }
  }
}
