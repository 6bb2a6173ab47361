/// An operation of a batch as a text states it.
///
/// The operation is parsed, not judged: sizes may be zero or negative, indices
/// beyond what there is, keys empty, unknown or repeated.
package enum BatchOperation: Hashable, Sendable {
  /// Puts items, in order, in a place between others.
  case insert(items: [BatchItem], at: BatchDestination)
  case delete(keys: [String])
  case move(key: String, to: BatchDestination)
  /// Gives an item another natural size in points, and another column span unless
  /// that is nil.
  case resize(key: String, width: Double, height: Double, span: Int?)
  /// Gives an item a measured length in points in one layout; nil takes it back.
  case prefer(layout: String, key: String, length: Double?)
  /// Puts an empty section before the one at an index; behind all where that is nil.
  case insertSection(key: String, index: Int?)
  case deleteSection(key: String)
  case moveSection(key: String, index: Int)
  /// Marks items, sections or everything of a layout as changed.
  case invalidate(layout: String, items: [String], sections: [String], everything: Bool)
}

/// An item that a batch inserts.
package struct BatchItem: Hashable, Sendable {
  /// The item's key, verbatim.
  package var key: String
  /// The natural width in points; finite, the double nearest to the text.
  package var width: Double
  /// The natural height in points; finite, the double nearest to the text.
  package var height: Double
  /// The column span; nil when the member is absent or null.
  package var span: Int?

  /// Creates an item.
  package init(key: String, width: Double, height: Double, span: Int? = nil) {
    self.key = key
    self.width = width
    self.height = height
    self.span = span
  }
}

/// A place between a section's items.
package enum BatchDestination: Hashable, Sendable {
  /// Behind the section's last item.
  case end(section: String)
  /// Before the section's item at an index, counted from 0.
  case index(Int, section: String)
  /// Before the item with a key.
  case before(String)
  /// Behind the item with a key.
  case after(String)
}
