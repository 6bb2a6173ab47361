package import CollectionLayout
package import LayoutGeometry

/// A kind that reads the context that its options select, and has custom elements:
/// `{"index":true,"count":true,"data":true,"lookahead":3}`.
///
/// Its state ends at items of two columns. An item of nine columns is invalid.
package struct CuriousKind: SectionLayout, SectionDecorator {
  package static let kind = "curious"
  package let reads: ItemDependencies
  package let lookahead: Int
  package let sectionKinds: Set<CustomElement.Kind> = [
    .decoration("line"), .supplementary("corner"),
  ]
  package let cellKinds: Set<CustomElement.Kind> = [.decoration("dot"), .supplementary("badge")]
  package let overhang: Length = 4
  package var readsData: Bool { reads.contains(.data) }
  private let line: Range<Length>

  /// Whether elements of a kind belong to cells.
  package static func isOfCell(_ kind: String) -> Bool { ["dot", "badge"].contains(kind) }

  package struct Refusal: Error, CustomStringConvertible {
    package var description: String { "nines have no place" }
  }

  package init(options: [String: ConfigurationValue], in space: SectionSpace) {
    var reads: ItemDependencies = []
    if options["index"]?.bool == true { reads.insert(.index) }
    if options["count"]?.bool == true { reads.insert(.count) }
    if options["data"]?.bool == true { reads.insert(.data) }
    self.reads = reads
    lookahead = Int(options["lookahead"]?.number ?? 0)
    line = space.line
  }

  package func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) throws -> ItemPlacement {
    if item.columnSpan == 9 { throw Refusal() }
    var seen = item.size.width.units / 64 % 7 + Self.number(of: item)
    if reads.contains(.index) { seen += Int64(context.index) * 3 }
    if reads.contains(.count) { seen += Int64(context.count) }
    if lookahead > 0 {
      for distance in 1...lookahead {
        let next = context.next(distance)
        seen += next.map { $0.size.height.units / 64 * Int64(distance) + Self.number(of: $0) } ?? 11
      }
      if context.isLast { seen += 64 }
    }
    // A damaged state may have any value.
    let before = (state.first ?? 0) % 5
    state = item.columnSpan == 2 ? [] : [(before + seen) % 5]
    let length = (item.preferredLength ?? item.size.height) + Length(units: seen % 97)
    return ItemPlacement(
      frame: Rect(
        x: line.lowerBound + Length(units: (before * 13 + seen) % 50 * 64), y: .zero,
        width: item.size.width, height: length),
      advance: Length(units: length.units / 2), zIndex: Int(seen % 3) - 1,
      alpha: seen % 4 == 0 ? 0.3 : 1, isHidden: seen % 11 == 0,
      transform: seen % 7 == 0
        ? Transform3D(scaleX: 1.5, y: -2, z: 1)
        : seen % 7 == 1 ? Transform3D(translationX: Double(seen % 9) * 8, y: -60, z: 0) : .identity,
      values: seen % 5 == 0 ? ["seen": .number(Double(seen)), "odd": .bool(seen % 2 == 1)] : [:])
  }

  private static func number(of item: LayoutItem) -> Int64 {
    item.data.map { Int64($0["n"]?.number ?? 1) } ?? 0
  }

  /// The length rounded up to a multiple of 100, at least 100.
  package func contentLength(itemsEnd: Length, anchor: Length) -> Length {
    Length(units: max(1, (max(itemsEnd, anchor).units + 6399) / 6400) * 6400)
  }

  /// A line every 50 points, and an element that extends beyond the section's end.
  package func elements(in rect: Rect, of section: DecoratedSection) -> [CustomElement] {
    let contentLength = section.contentLength
    let last = contentLength.units / 3200
    let first = min(max(0, rect.minY.units / 3200 - 1), last)
    let end = min(max(first, rect.maxY.units / 3200 + 1), last)
    let lines = (first...end).map { number in
      CustomElement(
        kind: .decoration("line"), index: Int(number),
        frame: Rect(
          x: line.lowerBound, y: Length(units: number * 3200),
          width: line.upperBound - line.lowerBound, height: 1), zIndex: -2, alpha: 0.5)
    }
    let corner = CustomElement(
      kind: .supplementary("corner"), index: 7,
      frame: Rect(x: 0, y: contentLength - 2, width: 20, height: 6), zIndex: 9)
    return lines + [corner]
  }

  package func elements(of cell: PlacedItem) -> [CustomElement] {
    var elements: [CustomElement] = []
    if cell.index % 3 == 0 {
      elements.append(
        CustomElement(
          kind: .decoration("dot"), index: 99,
          frame: Rect(x: cell.frame.minX - 4, y: cell.frame.minY - 4, width: 6, height: 6),
          zIndex: cell.zIndex, isHidden: cell.isHidden))
    }
    if Self.number(of: cell.item) % 2 == 1 {
      elements.append(
        CustomElement(
          kind: .supplementary("badge"),
          frame: Rect(x: cell.frame.maxX - 4, y: cell.frame.maxY, width: 8, height: 4), zIndex: 3))
    }
    return elements
  }
}
