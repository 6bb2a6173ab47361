import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random feeds in random layouts, all directions, some with effects. Expected rest
// positions are found by a scan of all cells.
//
// Invariant: a rest position equals the one found by the scan. Worlds judge anchors, by
// `WorldAnchor`, and the rest positions of carousels.

@Suite struct ScrollingPropertyTests {
  /// Every cell in canonical space, except those of carousels outside the container.
  private func cells(_ snapshot: LayoutSnapshot) throws -> [Rect] {
    let everything = Rect(RandomRects.everything)
    return try snapshot.run(in: everything, visible: nil, limit: .max).result.elements.filter {
      $0.representedElementKind == nil
    }.map {
      snapshot.plan.space.canonical($0.untransformedFrame, mainLength: snapshot.mainLength)
    }
  }

  private func size(using generator: inout SeededGenerator) -> Size {
    Size(
      width: Length(units: Int64.random(in: 64...60_000, using: &generator)),
      height: Length(units: Int64.random(in: 64...60_000, using: &generator)))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func offsetsAtRestAreThoseOfEveryCell(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 4) {
      var source = RandomFeed(itemCountMax: 80)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: TestKinds.mixes[step % 2], allowsEffects: true).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var configuration = try ConfigurationText.decode(text)
      let test = try TestFeed(sections, options: .randomShapes(using: &generator))
      let positions = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Length(units: Int64.random(in: 0...90_000, using: &generator))
      }
      let snaps: [LayoutConfiguration.Snap] = [
        .none, .itemLeading, .itemCenter, .page, .positions(positions),
      ]
      for snap in snaps {
        configuration.snap = snap
        try test.cache.setLayout(LayoutID("layout", of: "feed"), to: configuration)
        try test.read { snapshot in
          let cells = try cells(snapshot)
          for _ in 0..<12 {
            let size = size(using: &generator)
            let offset = Point(
              x: .random(in: snapshot.contentSize.width, using: &generator),
              y: .random(in: snapshot.contentSize.height, using: &generator))
            let velocity = [-2.5, 0, 0.001].randomElement(using: &generator)!
            let found = try snapshot.targetContentOffset(
              forProposed: offset, velocity: along(velocity, snapshot), visibleSize: size)
            let expected = expectedOffset(snapshot, cells, offset, velocity: velocity, size, snap)
            let origin: Comment = "\(snap) from \(offset) at \(velocity), \(size)\n\(text)"
            #expect(found == expected, origin)
            let start = Point(
              x: .random(in: snapshot.contentSize.width, using: &generator),
              y: .random(in: snapshot.contentSize.height, using: &generator))
            let dragged = try snapshot.targetContentOffset(
              forProposed: offset, from: start, velocity: along(velocity, snapshot),
              visibleSize: size)
            if snap == .page {
              #expect(dragged == onePage(snapshot, from: start, to: expected, size), origin)
            } else {
              #expect(dragged == expected, origin)
            }
          }
        }
      }
    }
  }

  /// A velocity along the scrolling axis; the other one does not matter.
  private func along(_ speed: Double, _ snapshot: LayoutSnapshot) -> ScrollVelocity {
    snapshot.plan.space.scrollAxis == .vertical
      ? ScrollVelocity(x: -speed, y: speed) : ScrollVelocity(x: speed, y: 1)
  }

  private func axis(
    of snapshot: LayoutSnapshot, _ size: Size
  ) -> (isVertical: Bool, isReversed: Bool, content: Int64, length: Int64) {
    let (content, space) = (snapshot.contentSize, snapshot.plan.space)
    return space.scrollAxis == .vertical
      ? (true, false, content.height.units, size.height.units)
      : (false, space.isMirrored, content.width.units, size.width.units)
  }

  private func expectedOffset(
    _ snapshot: LayoutSnapshot, _ cells: [Rect], _ offset: Point, velocity: Double, _ size: Size,
    _ snap: LayoutConfiguration.Snap
  ) -> Point {
    let (isVertical, isReversed, content, length) = axis(of: snapshot, size)
    // Measured from the leading end in both directions.
    var proposed = isVertical ? offset.y.units : offset.x.units
    if isReversed { proposed = content - proposed - length }
    let last = max(0, content - length)
    proposed = max(0, min(proposed, last))
    var rests: Set<Int64> = [0, last]
    switch snap {
    case .none: rests = [proposed]
    case .page:
      let page = proposed / length
      rests.formUnion([page * length, (page + 1) * length])
    case .itemLeading: rests.formUnion(cells.map(\.minY.units))
    case .itemCenter:
      rests.formUnion(cells.map { $0.minY.units + $0.size.height.units / 2 - length / 2 })
    case .positions(let positions): rests.formUnion(positions.map(\.units))
    default: Issue.record("\(snap)")
    }
    let clamped = rests.map { max(0, min($0, last)) }
    let (before, after) = (
      clamped.filter { $0 <= proposed }.max()!, clamped.filter { $0 >= proposed }.min()!
    )
    let speed = isReversed ? -velocity : velocity
    var rest =
      speed > 0
      ? after : speed < 0 || proposed - before <= after - proposed ? before : after
    if isReversed { rest = content - rest - length }
    return isVertical
      ? Point(x: offset.x, y: Length(units: rest)) : Point(x: Length(units: rest), y: offset.y)
  }

  /// A rest position, or the nearest one at most a page from the start of the drag.
  private func onePage(
    _ snapshot: LayoutSnapshot, from start: Point, to rest: Point, _ size: Size
  ) -> Point {
    let (isVertical, isReversed, content, length) = axis(of: snapshot, size)
    let last = max(0, content - length)
    func main(_ point: Point) -> Int64 {
      let main = isVertical ? point.y.units : point.x.units
      return isReversed ? content - main - length : main
    }
    let began = max(0, min(main(start), last))
    let pages = Set((0...(last / length + 1)).map { min($0 * length, last) })
    var held = main(rest)
    held = max(held, pages.filter { $0 < began }.max() ?? 0)
    held = min(held, pages.filter { $0 > began }.min() ?? last)
    if isReversed { held = content - held - length }
    return isVertical
      ? Point(x: rest.x, y: Length(units: held)) : Point(x: Length(units: held), y: rest.y)
  }
}

extension Length {
  /// A position in a content, or a little outside it.
  fileprivate static func random(
    in length: Length, using generator: inout SeededGenerator
  ) -> Length {
    Length(units: .random(in: -10_000...(length.units + 10_000), using: &generator))
  }
}
