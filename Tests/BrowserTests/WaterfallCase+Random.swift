import CollectionLayout
import LayoutGeometry
import TestSupport

extension WaterfallCase {
  static func columnCount(using generator: inout SeededGenerator) -> Int {
    generator.oneIn(6)
      ? Int.random(in: 9...40, using: &generator) : Int.random(in: 1...8, using: &generator)
  }

  /// Items of a few sizes or of many: equal lengths make ties.
  static func items(
    _ axes: PageAxes, countMax: Int, using generator: inout SeededGenerator
  ) -> [(size: Size, span: Int)] {
    let sizeCount = [2, 5, 1000].randomElement(using: &generator)!
    let sizes = (0..<sizeCount).map { _ in
      axes.turned(Size(width: generator.length(120...400), height: generator.length(20...400)))
    }
    return (0..<min(countMax, generator.itemCount())).map { _ in
      (sizes.randomElement(using: &generator)!, span(using: &generator))
    }
  }

  /// Items whose widths in points divide sixty.
  static func exactItems(
    _ axes: PageAxes, using generator: inout SeededGenerator
  ) -> [(size: Size, span: Int)] {
    let point = Length(units: 64)
    return (0..<min(150, generator.itemCount())).map { _ in
      let width = [1, 2, 3, 4, 5, 6].randomElement(using: &generator)!
      let height = Int.random(in: 1...2 * width, using: &generator)
      return (
        axes.turned(Size(width: point * width, height: point * height)), span(using: &generator)
      )
    }
  }

  /// Any rule for the items' lengths; bounds for some hundreds, as a browser's rectangles
  /// represent every unit only up to 2^24.
  static func addLengths(
    to options: inout SectionOptions, itemCount: Int, using generator: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: options.itemLength = .natural
    case 1: options.itemLength = .fixed(generator.length(20...200))
    default: options.itemLength = .aspect
    }
    if generator.oneIn(3) { options.minimumLength = generator.length(1...60) }
    if itemCount > 60 || generator.oneIn(3) { options.maximumLength = generator.length(61...400) }
  }

  /// Mostly one column; 0 for all.
  private static func span(using generator: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: 0
    case 1: 1000
    case 2...4: Int.random(in: 2...4, using: &generator)
    default: 1
    }
  }
}
