import LayoutGeometry

/// The identifier of a layout: its name and its dataset's name.
///
///     let phone = LayoutID("phone", of: "tate")
///     try cache.prepare(phone)
///
/// Names are compared byte for byte, as in the database.
public struct LayoutID: Hashable, Sendable, Codable {
  /// The dataset's name.
  public var dataset: String
  /// The layout's name.
  public var layout: String

  /// Creates the identifier of a layout, which need not exist.
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
  /// The names: "layout 'phone' of dataset 'tate'". Names beyond the limits are truncated.
  public var description: String { "layout '\(excerpt(layout))' of dataset '\(excerpt(dataset))'" }
}
