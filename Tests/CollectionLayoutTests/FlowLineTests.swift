import CollectionLayout
import LayoutGeometry
import Testing

/// Items of (W - (n - 1) · s) / n points, as a page or an app computes them for n per line.
@Suite struct FlowLineTests {
  private func plan(
    width: Int, spacing: Double, itemWidth: Double? = nil
  ) throws -> LinePlan {
    var section = SectionOptions()
    section.kind = .flow
    section.minimumInteritemSpacing = .points(spacing)
    if let width = itemWidth.flatMap(Length.init(points:)) {
      section.itemSize = .fixed(Size(width: width, height: 40))
    }
    let configuration = LayoutConfiguration(
      container: .init(width: .points(Double(width)), height: nil), section: section)
    guard
      case .lines(let plan) = try LayoutPlan(configuration)
        .section("any", style: nil).kind
    else {
      preconditionFailure("a flow has lines")
    }
    return plan
  }

  /// The number of items of a natural width in each line except the last.
  private func lineCounts(_ plan: LinePlan, width: Double, count: Int) throws -> [Int] {
    var breaker = LineBreaker(plan: plan)
    let natural = Size(
      width: try Limits.naturalSide(points: width, as: "width"), height: Length(units: 64))
    let size = plan.size(of: LayoutItem(size: natural))
    var counts: [Int] = []
    for _ in 0..<count { try breaker.take(size) { counts.append($0.count) } }
    return counts
  }

  @Test(arguments: 1...12)
  func anyNumberPerLineFitsAtAnyWidth(count: Int) throws {
    for width in 200...1400 {
      for spacing in [0.0, 8, 2.5] {
        let itemWidth = (Double(width) - Double(count - 1) * spacing) / Double(count)
        let counts = try lineCounts(
          try plan(width: width, spacing: spacing), width: itemWidth, count: count * 2 + 1)
        #expect(counts == [count, count], "\(width) points, spacing \(spacing)")
      }
    }
  }
}
