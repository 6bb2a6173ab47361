import CollectionLayout
import LayoutGeometry

extension ComputedPlan {
  /// What changes did to a section whose places are computed.
  ///
  /// - Parameter lengthMax: The greater of its content's lengths before and after.
  func change(_ changes: ItemHunks, oldCount: Int, lengthMax: Length) -> PlacementChange {
    var change = PlacementChange()
    for hunk in changes.hunks { change.note(items: hunk.new) }
    guard changes.isReordered, let first = changes.hunks.first else { return change }
    let count = changes.count
    var start = first.new.lowerBound
    var top = Length.zero
    switch self {
    case .grid(let plan):
      top = frame(at: start, ofCount: count).minY
      change.columns.insert(0..<plan.tracks.count)
    case .circle:
      // Another number of items is another angle between any two.
      if count != oldCount { start = 0 }
    }
    change.note(items: start..<count)
    change.note(interval: top.units..<max(top, lengthMax).units)
    return change
  }
}
