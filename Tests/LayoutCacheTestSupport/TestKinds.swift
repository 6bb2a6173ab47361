package import CollectionLayout
import LayoutGeometry
package import TestSupport

@testable import TimelineExample

/// Custom kinds as a user might write them. The oracle implements them separately.
package enum TestKinds {
  package static let all: [any SectionLayout.Type] = [
    Stack.self, Timeline.self, Counter.self, Overlap.self, Pile.self, CuriousKind.self,
  ]

  /// The mixes of kinds in property tests: the built-in kinds, and custom kinds with some built-in
  /// ones.
  package static let mixes: [RandomConfiguration.Kinds] = [.all, [.waterfall, .flow, .custom]]

  /// Items one below the other, without a state.
  package struct Stack: SectionLayout {
    package static let kind = "stack"
    private let width: Length
    private let x: Length
    private let gap: Length

    package init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
      x = space.line.lowerBound
      width = space.line.upperBound - x
      gap = try Limits.length(
        points: options["gap"]?.number ?? 0, in: 0...1000, as: "gap of a stack")
    }

    package func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let length = item.length
      return ItemPlacement(
        frame: Rect(x: x, y: .zero, width: width, height: length), advance: length + gap)
    }
  }

  /// Items that count the previous ones, so that no state occurs twice.
  package struct Counter: SectionLayout {
    package static let kind = "counter"
    private let line: Range<Length>

    package init(options: [String: ConfigurationValue], in space: SectionSpace) {
      line = space.line
    }

    package func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let number = state.first ?? 0
      state = [number + 1]
      let length = item.length
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound + Length(units: number % 3), y: .zero,
          width: line.upperBound - line.lowerBound, height: length),
        advance: length)
    }
  }

  /// Items that start before their anchor, over the second half of the previous item.
  package struct Overlap: SectionLayout {
    package static let kind = "overlap"
    private let line: Range<Length>

    package init(options: [String: ConfigurationValue], in space: SectionSpace) {
      line = space.line
    }

    package func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let start = Length(units: -(state.first ?? 0) / 2)
      let length = item.length
      state = [length.units]
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound, y: start, width: line.upperBound - line.lowerBound, height: length),
        advance: max(.zero, start + length), transform: item.transform, values: item.values)
    }
  }

  /// Items that mostly share one anchor, so that the ranges of runs are nested.
  package struct Pile: SectionLayout {
    package static let kind = "pile"
    private let line: Range<Length>

    package init(options: [String: ConfigurationValue], in space: SectionSpace) {
      line = space.line
    }

    package func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let length = item.length
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound, y: Length(units: item.size.width.units % 640),
          width: line.upperBound - line.lowerBound, height: length),
        advance: item.columnSpan == 1 ? .zero : Length(units: length.units / 2),
        transform: item.transform, values: item.values)
    }
  }
}

extension LayoutItem {
  /// The length along the main axis, measured or natural.
  fileprivate var length: Length { preferredLength ?? size.height }

  /// Whether the item is leant back: a perspective of a long one would exceed the limits.
  private var isTilted: Bool { size.width.units % 7 == 2 && length <= 1000 }

  /// The transform that the width selects: a scale, a turn, or a perspective.
  fileprivate var transform: Transform3D {
    switch size.width.units % 7 {
    case 0: return Transform3D(scaleX: 2, y: 0.5, z: 1)
    case 1: return Transform3D(affine: Transform(a: 0, b: 1, c: -1, d: 0, tx: 7.5, ty: -33.25))
    case _ where isTilted:
      var transform = Transform3D(affine: Transform(a: 1, b: 0, c: 0.25, d: 1, tx: 0, ty: 0))
      transform.m24 = 1.0 / 4096
      return transform
    default: return .identity
    }
  }

  fileprivate var values: [String: ConfigurationValue] {
    switch size.width.units % 7 {
    case _ where isTilted: ["tilt": .number(0.25)]
    case 3:
      ["tags": .array([.string("a\"b"), .null]), "n": .number(Double(size.width.units % 5))]
    default: [:]
    }
  }
}
