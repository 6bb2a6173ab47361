import CollectionLayout
import LayoutGeometry

extension ComputedPlan {
  /// What changes did to a section whose places are computed.
  func change(_ changes: ItemHunks, oldCount: Int) -> PlacementChange {
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
    let ends = [count, oldCount].compactMap { try? contentLength(ofCount: $0) }
    change.note(interval: top.units..<max(top.units, ends.max()?.units ?? 0))
    return change
  }
}
