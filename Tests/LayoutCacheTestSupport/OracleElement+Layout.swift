package import LayoutCache
import LayoutGeometry
package import TestSupport

extension OracleElement {
  /// All elements of a layout, by a rectangle around them.
  package static func all(of snapshot: LayoutSnapshot) throws -> [OracleElement] {
    let rect = Rect(origin: .zero, size: snapshot.contentSize)
    return try snapshot.elements(in: rect).elements.map(OracleElement.init)
  }

  /// All present elements of the layout "layout" of the dataset "feed".
  package static func all(of cache: LayoutCache) throws -> [OracleElement] {
    try cache.read(LayoutID("layout", of: "feed")) { try all(of: $0) }
  }

  /// The oracle's answer to the same query.
  package static func all(of oracle: Oracle) -> [OracleElement] {
    let size = oracle.contentSize
    return oracle.elements(in: UnitRect(x: 0, y: 0, width: size.width, height: size.height))
  }
}

extension [OracleOperation] {
  /// Whether the batch invalidates everything.
  package var isEverything: Bool {
    contains { operation in
      guard case .invalidate(_, _, let everything) = operation else { return false }
      return everything
    }
  }
}
