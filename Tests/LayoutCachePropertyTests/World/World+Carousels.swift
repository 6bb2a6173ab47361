import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// The plan of a section is internal: its rule of rest positions is chosen by the merge of options.
@testable import LayoutCache

/// A carousel's items across the main axis, from the leading edge at offset 0.
private struct CarouselLine {
  var starts: [Int64]
  var widths: [Int64]
  var leading: Int64
  var container: Int64
  var last: Int64
}

extension World {
  /// Rest positions of carousels, and the cells next to the container, by a scan of all items at
  /// offset 0.
  func observeCarousels() throws {
    let place = anyPlace()
    try read(place) { unscrolled, oracle in
      let offsets = RandomOffsets.next(for: oracle, using: &generator)
      let snapshot = unscrolled.scrolled(to: CarouselOffsets(offsets))
      for (index, summary) in oracle.scrolled(to: offsets).sectionsSummary.enumerated() {
        let origin: Comment = "section \(index) of \(id(place)) at \(offsets)"
        let style = try snapshot.style(ofSection: index)
        guard let carousel = summary.carousel,
          case .carousel(let plan) = snapshot.plan.section(summary.key, style: style).kind
        else {
          #expect(
            try snapshot.targetCarouselOffset(inSection: index, forProposed: 9) == nil, origin)
          #expect(
            try snapshot.prefetch(.after, inCarousel: index, length: 9)?.elements == nil, origin)
          continue
        }
        let space = snapshot.plan.space
        let frames = oracle.allElements().filter { $0.section == index && $0.category == .cell }
          .map { space.canonical(Rect($0.frame), mainLength: snapshot.mainLength) }
        let line = CarouselLine(
          starts: frames.map(\.minX.units), widths: frames.map(\.size.width.units),
          leading: plan.leading.units, container: space.crossLength.units,
          last: carousel.maximumOffset)
        try compareTargets(snapshot, index, plan.scrolling, line, origin)
        try comparePrefetches(snapshot, index, line, carousel, origin)
        count("carousel")
      }
    }
  }

  private func compareTargets(
    _ snapshot: LayoutSnapshot, _ section: Int, _ scrolling: SectionOptions.Scrolling,
    _ line: CarouselLine, _ origin: Comment
  ) throws {
    func held(_ offset: Int64) -> Int64 { max(0, min(offset, line.last)) }
    var rests: Set<Int64> = [0, line.last]
    switch scrolling {
    case .continuous: break
    case .paging:
      for page in 0...(min(line.last / line.container, 10_000) + 1) {
        rests.insert(held(page * line.container))
      }
    case .continuousGroupLeadingBoundary, .groupPaging:
      rests.formUnion(line.starts.map { held($0 - line.leading) })
    case .groupPagingCentered:
      rests.formUnion(
        zip(line.starts, line.widths).map { held($0 + $1 / 2 - line.container / 2) })
    @unknown default: Issue.record("an unknown value")
    }
    if scrolling == .paging, line.last / line.container > 10_000 { return }
    for _ in 0..<12 {
      var proposed = Int64.random(in: -999...(line.last + 999), using: &generator)
      if generator.oneIn(2), let rest = rests.sorted().randomElement(using: &generator) {
        proposed = rest + Int64.random(in: -1...1, using: &generator)
      }
      let start: Int64? =
        generator.oneIn(2)
        ? (generator.oneIn(2)
          ? Int64.random(in: -9...(line.last + 9), using: &generator)
          : rests.sorted().randomElement(using: &generator)!) : nil
      let velocity = [-2.5, 0, 0.001].randomElement(using: &generator)!
      let at = held(proposed)
      let possible = scrolling == .continuous ? [at] : rests
      let (before, after) = (
        possible.filter { $0 <= at }.max()!, possible.filter { $0 >= at }.min()!
      )
      var expected =
        velocity > 0
        ? after : velocity < 0 || at - before <= after - at ? before : after
      if let start, [.paging, .groupPaging, .groupPagingCentered].contains(scrolling) {
        let began = held(start)
        expected = max(expected, rests.filter { $0 < began }.max() ?? 0)
        expected = min(expected, rests.filter { $0 > began }.min() ?? line.last)
      }
      let found = try snapshot.targetCarouselOffset(
        inSection: section, forProposed: Length(units: proposed),
        from: start.map { Length(units: $0) }, velocity: velocity)
      #expect(
        found?.units == expected,
        "\(origin): \(proposed) from \(String(describing: start)) at \(velocity), \(line.last)")
    }
  }

  private func comparePrefetches(
    _ snapshot: LayoutSnapshot, _ section: Int, _ line: CarouselLine,
    _ carousel: OracleSectionSummary.Carousel, _ origin: Comment
  ) throws {
    for side in [PrefetchDirection.before, .after] {
      let length = Int64.random(in: -9...(line.container * 3), using: &generator)
      let found = try #require(
        try snapshot.prefetch(side, inCarousel: section, length: Length(units: length)))
      let reach = max(0, min(length, carousel.contentLength))
      let (low, high) = side == .before ? (-reach, 0) : (line.container, line.container + reach)
      let expected = line.starts.indices.filter { index in
        let start = line.starts[index] - carousel.offset
        let end = start + line.widths[index]
        let isNext = start < high && end > low
        return isNext && !(start < line.container && end > 0)
      }
      #expect(found.elements.map(\.indexPath.item) == expected.map { $0 }, "\(origin): \(side)")
      for element in found.elements {
        let key = if case .cell(let key) = element.category { key } else { "" }
        #expect(try snapshot.attributes(forKey: key) == element, origin)
        #expect(element.frame.intersects(found.rect), origin)
      }
    }
  }
}
