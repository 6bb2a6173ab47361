package import CollectionLayout
import LayoutGeometry
package import TestSupport
package import Testing

extension InvalidationContext {
  /// Checks that each changed, inserted or deleted cell is named.
  package func expectComplete(before: Oracle, after: Oracle, _ origin: Comment) {
    #expect(
      contentSizeAdjustment.width.units
        == after.contentSize.width - before.contentSize.width, origin)
    #expect(
      contentSizeAdjustment.height.units
        == after.contentSize.height - before.contentSize.height, origin)
    if invalidateEverything { return }
    let elements = Set(before.layoutElements).symmetricDifference(after.layoutElements)
    for kind in elements.compactMap(\.kind) {
      #expect(
        supplementaryElements.contains(.init(rawValue: kind)) || decorationElements.contains(kind),
        "\(origin): \(kind) is not named")
    }
    let (old, new) = (PlacedCell.cells(of: before), PlacedCell.cells(of: after))
    let hasDeletedSections = sectionChanges.contains {
      if case .delete = $0 { true } else { false }
    }
    let indices = Dictionary(
      uniqueKeysWithValues: after.sectionsSummary.enumerated().map { (Array($1.key.utf8), $0) })
    for (key, cell) in new where old[key] != cell {
      guard let index = indices[cell.section], let named = section(index) else {
        Issue.record("\(origin): section \(cell.section) is not named")
        return
      }
      #expect(named.items.contains(cell.item), "\(origin): \(key) at \(cell.item), \(named)")
      guard old[key]?.isInPlace(of: cell) != true else { continue }
      #expect(cell.column.map { named.columns.contains($0) } ?? true, "\(origin): \(key), \(named)")
      let interval = named.interval ?? .zero..<(.zero)
      #expect(
        interval.lowerBound.units <= cell.start
          && cell.start + cell.length <= interval.upperBound.units,
        "\(origin): \(key) at \(cell), \(interval)")
      #expect(named.start.units == after.sectionsSummary[index].start, origin)
    }
    for (key, cell) in old where new[key]?.section != cell.section {
      // A section may have been deleted and inserted again with the same key.
      guard let index = indices[cell.section], !hasDeletedSections, let column = cell.column
      else { continue }
      let named = section(index)
      // A section with a different style may have different columns; then all its items are named.
      let isPlacedAgain = new.values.allSatisfy { item in
        item.section != cell.section || named?.items.contains(item.item) ?? false
      }
      #expect(named?.columns.contains(column) ?? false || named != nil && isPlacedAgain, origin)
    }
    if !hasDeletedSections {
      expectAdditionalElements(before: before, after: after, indices, origin)
    }
    #expect(work.recomputedColumns >= 0)
  }

  /// Checks that the kinds of changed, inserted and deleted elements of sections and their cells
  /// are named, for sections that exist before and after.
  private func expectAdditionalElements(
    before: Oracle, after: Oracle, _ indices: [[UInt8]: Int], _ origin: Comment
  ) {
    let old = Set(before.sectionsSummary.map { Array($0.key.utf8) })
    let elements = Set(PlacedElement.elements(of: before))
      .symmetricDifference(PlacedElement.elements(of: after))
    for element in elements where old.contains(element.section) {
      guard let index = indices[element.section] else { continue }
      let named = section(index)
      #expect(
        named?.supplementaryElements.contains(.init(rawValue: element.kind)) == true
          || named?.decorationElements.contains(element.kind) == true,
        "\(origin): \(element) is not named in \(String(describing: named))")
    }
  }
}

/// A badge or decoration with its position in its section, independent of the direction.
private struct PlacedElement: Hashable {
  var section: [UInt8]
  var kind: String
  var item: Int?
  var start: Int64
  var length: Int64
  var cross: Int64
  var breadth: Int64

  static func elements(of oracle: Oracle) -> [PlacedElement] {
    let (oracle, summary) = (oracle.reading(isMirrored: false), oracle.sectionsSummary)
    return oracle.allElements().compactMap { element in
      guard element.category != .cell, element.section != OracleElement.noSection,
        let kind = element.kind, !["header", "footer", "card", "plate"].contains(kind)
      else { return nil }
      let isVertical = oracle.isVertical
      return PlacedElement(
        section: Array(element.sectionKey.utf8), kind: kind, item: element.item,
        start: (isVertical ? element.y : element.x) - summary[element.section].start,
        length: isVertical ? element.height : element.width,
        cross: isVertical ? element.x : element.y,
        breadth: isVertical ? element.width : element.height)
    }
  }
}

extension Oracle {
  /// The layout in a direction; `nil` for that of its configuration.
  package func reading(_ direction: LayoutConfiguration.LayoutDirection?) -> Oracle {
    direction.map { reading(isMirrored: $0 == .rightToLeft) } ?? self
  }

  /// The elements of the whole layout, their positions from the leading edges.
  fileprivate var layoutElements: [OracleElement] {
    reading(isMirrored: false).allElements().filter { $0.section == OracleElement.noSection }
  }
}

/// A cell with its position in its section, independent of the direction.
private struct PlacedCell: Equatable {
  /// The section's key as bytes, because some keys differ only in normalization.
  var section: [UInt8]
  var item: Int
  var column: Int?
  var start: Int64
  var length: Int64
  var cross: Int64
  var isHidden: Bool
  var transform3D: [Double]?
  var values: String?

  func isInPlace(of other: PlacedCell) -> Bool {
    var moved = self
    moved.item = other.item
    moved.isHidden = other.isHidden
    (moved.transform3D, moved.values) = (other.transform3D, other.values)
    return moved == other
  }

  static func cells(of oracle: Oracle) -> [[UInt8]: PlacedCell] {
    let isVertical = oracle.isVertical
    let summary = oracle.sectionsSummary
    var cells: [[UInt8]: PlacedCell] = [:]
    for element in oracle.allElements() {
      guard let key = element.key, let item = element.item, !element.isCollapsed else { continue }
      let frame = element.laidOut
      let x = oracle.isMirrored ? oracle.contentSize.width - frame.maxX : frame.x
      cells[Array(key.utf8)] = PlacedCell(
        section: Array(element.sectionKey.utf8), item: item, column: element.column,
        start: (isVertical ? frame.y : x) - summary[element.section].start,
        length: isVertical ? frame.height : frame.width,
        cross: isVertical ? x : frame.y, isHidden: element.isHidden,
        transform3D: element.transform3D, values: element.values)
    }
    return cells
  }
}
