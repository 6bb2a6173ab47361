import CollectionLayout
import LayoutGeometry

/// A cell in its own place, which no effect has changed.
struct StoredCell {
  var key: String
  var indexPath: IndexPath
  /// In canonical space.
  var frame: Rect
}

extension LayoutSnapshot {
  /// Calls `body` with the cells that are in a range of the main axis, wherever across, in
  /// the order of answers.
  ///
  /// - Parameter body: Returns whether to continue.
  /// - Complexity: As ``elements(in:visible:limit:)`` for the range; memory does not depend
  ///   on the number of cells.
  func forEachCell(
    along range: Range<Length>, work: inout QueryWork, _ body: (StoredCell) throws -> Bool
  ) throws {
    // What a custom kind places may lie next to the container.
    let line = Rect(
      x: Length(units: -1 << 53), y: range.lowerBound, width: Length(units: 1 << 54),
      height: range.upperBound - range.lowerBound)
    try forEachCell(
      in: plan.space.content(line, mainLength: mainLength), work: &work, body)
  }

  /// Calls `body` with the cells whose own places meet a rectangle of the content, in the
  /// order of answers.
  ///
  /// - Parameter body: Returns whether to continue.
  func forEachCell(
    in rect: Rect, work: inout QueryWork, _ body: (StoredCell) throws -> Bool
  ) throws {
    var next: ElementPlace? = .start
    while let start = next {
      // Where an effect shows a cell is not where it stands.
      let (run, runWork) = try run(in: rect, visible: nil, limit: Self.cellRunCount, from: start)
      work = work + runWork
      for element in run.elements {
        if let cell = storedCell(element), try !body(cell) { return }
      }
      next = run.next
    }
  }

  /// A cell from its attributes; `nil` for another element.
  ///
  /// - Parameter element: One that no effect has changed.
  func storedCell(_ element: LayoutAttributes) -> StoredCell? {
    guard case .cell(let key) = element.category else { return nil }
    return StoredCell(
      key: key, indexPath: element.indexPath,
      frame: plan.space.canonical(element.untransformedFrame, mainLength: mainLength))
  }

  private static let cellRunCount = 64
}
