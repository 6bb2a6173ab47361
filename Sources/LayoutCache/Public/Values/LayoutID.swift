import LayoutGeometry

/// Which layout is meant: its name, and its dataset's.
///
///     let phone = LayoutID("phone", of: "tate")
///     try cache.prepare(phone)
///
/// Names are compared byte for byte, as the database does.
public struct LayoutID: Hashable, Sendable, Codable {
  /// The dataset's name.
  public var dataset: String
  /// The layout's name.
  public var layout: String

  /// Names a layout of a dataset, which need not exist.
  public init(_ layout: String, of dataset: String) {
    self.dataset = dataset
    self.layout = layout
  }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    ExactKey(lhs.layout) == ExactKey(rhs.layout)
      && ExactKey(lhs.dataset) == ExactKey(rhs.dataset)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactKey(layout))
    hasher.combine(ExactKey(dataset))
  }
}

extension LayoutID: CustomStringConvertible {
  /// "layout 'phone' of dataset 'tate'"; of names beyond the limits the start.
  public var description: String {
    "layout '\(excerpt(layout))' of dataset '\(excerpt(dataset))'"
  }
}
