import CollectionLayout
import LayoutGeometry

extension ProvisionalTarget {
  /// The maximum number of other targets tried for a point. Each requires a layout.
  private static let trialsMax = 4

  /// Returns the target for a pointer's position: another one that the point maps to with the
  /// items there, or this one.
  ///
  /// A target mapped in the current order may be unstable: the items' absence, and their size,
  /// move the cells at the point. Without this test the target would change with each call
  /// while the pointer rests.
  ///
  /// The candidates are the target that the point maps to here, the one that it maps to with
  /// the items there, and so on, and the positions around the first one.
  func settled(
    at point: Point, visible: Rect?, work: inout QueryWork
  ) throws -> ProvisionalTarget {
    let first = try target(for: point, visible: visible, work: &work)
    var known: Set<IndexPath> = [indexPath]
    var candidates = [first]
    var trials = 0
    while !candidates.isEmpty && trials < Self.trialsMax {
      let candidate = candidates.removeFirst()
      guard known.insert(candidate).inserted else { continue }
      let trial = try moved(to: candidate, work: &work)
      let mapped = try trial.target(for: point, visible: visible, work: &work)
      if mapped == candidate { return trial }
      trials += 1
      candidates.insert(mapped, at: 0)
      if trials == 1 { candidates += try neighbours(of: first) }
    }
    return self
  }

  /// Returns the positions before and after a target in its section.
  private func neighbours(of target: IndexPath) throws -> [IndexPath] {
    let item = target.item ?? 0
    let itemMax = try otherCount(inSection: target.section)
    return [item - 1, item + 1].filter { (0...itemMax).contains($0) }
      .map { IndexPath(section: target.section, item: $0) }
  }
}
