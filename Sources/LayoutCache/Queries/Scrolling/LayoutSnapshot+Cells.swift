import CollectionLayout
import LayoutGeometry

/// A cell at its laid out position, before effects and transforms.
struct StoredCell {
  var key: String
  var indexPath: IndexPath
  /// The frame in canonical space.
  var frame: Rect
}

extension LayoutSnapshot {
  /// Calls `body` with the cells in a range of the main axis, at any cross position, in the
  /// order of answers.
  ///
  /// - Parameter body: Returns whether to continue.
  /// - Complexity: As ``elements(in:visible:limit:)`` for the range; memory does not depend
  ///   on the number of cells.
  func forEachCell(
    along range: Range<Length>, work: inout QueryWork, _ body: (StoredCell) throws -> Bool
  ) throws {
    // Custom kinds may place cells outside the container.
    let line = Rect(
      x: Length(units: -1 << 53), y: range.lowerBound, width: Length(units: 1 << 54),
      height: range.upperBound - range.lowerBound)
    try forEachCell(in: plan.space.content(line, mainLength: mainLength), work: &work, body)
  }

  /// Calls `body` with the cells whose laid out frames intersect a rectangle of the content, in
  /// the order of answers.
  ///
  /// - Parameter body: Returns whether to continue.
  func forEachCell(
    in rect: Rect, work: inout QueryWork, _ body: (StoredCell) throws -> Bool
  ) throws {
    var next: ElementAddress? = .start
    while let start = next {
      // Without visible bounds, so that no effect moves the cells.
      let (run, runWork) = try run(
        in: rect, visible: nil, ignoresTransforms: true, limit: Self.cellRunCount, from: start)
      work = work + runWork
      for element in run.elements {
        if let cell = storedCell(element), try !body(cell) { return }
      }
      next = run.next
    }
  }

  /// Returns a cell from its attributes; `nil` for other elements.
  ///
  /// - Parameter element: An element without effects.
  func storedCell(_ element: LayoutAttributes) -> StoredCell? {
    guard case .cell(let key) = element.category else { return nil }
    return StoredCell(
      key: key, indexPath: element.indexPath,
      frame: plan.space.canonical(element.untransformedFrame, mainLength: mainLength))
  }

  private static let cellRunCount = 64
}
