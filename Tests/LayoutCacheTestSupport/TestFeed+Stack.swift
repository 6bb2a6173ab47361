package import LayoutCache
package import LayoutGeometry
import TestSupport

extension TestFeed {
  /// A section of three items, with lengths 10, 20 and 30, by default in a stack.
  package static func stack(
    _ configuration: String = #"{"container":{"width":300},"section":{"kind":"stack"}}"#
  ) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: [(5, 10), (5, 20), (5, 30)])], configuration: configuration)
  }
}

extension LayoutCache {
  /// The frames of all elements of a layout of the dataset "feed".
  package func frames(of layout: String = "layout") throws -> [Rect] {
    try read(LayoutID(layout, of: "feed")) { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map(\.frame)
    }
  }
}
