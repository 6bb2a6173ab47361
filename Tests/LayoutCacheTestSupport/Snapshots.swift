package import LayoutGeometry
package import TestSupport

@testable package import LayoutCache

extension TestFeed {
  /// A snapshot of the layout "layout" that may be retained, unlike those of `read`: all its nodes
  /// are in memory.
  package func keptSnapshot() throws -> LayoutSnapshot {
    try read { snapshot in
      _ = try OracleElement.all(of: snapshot)
      return snapshot
    }
  }
}

extension RandomRects {
  /// - Parameter frames: Frames of elements, whose edges are used.
  package init(_ snapshot: LayoutSnapshot, frames: [UnitRect] = []) {
    let size = snapshot.contentSize
    self.init(
      contentSize: UnitSize(width: size.width.units, height: size.height.units), frames: frames)
  }
}

extension UnitRect {
  package init(_ rect: Rect) {
    self.init(
      x: rect.minX.units, y: rect.minY.units, width: rect.size.width.units,
      height: rect.size.height.units)
  }
}
