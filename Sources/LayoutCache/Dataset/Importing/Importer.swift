import LayoutGeometry

/// A receiver for the items of one import.
public struct Importer: ~Copyable {
  /// The section of items that do not name one.
  public static let defaultSection = "main"

  /// The database's file, for errors.
  let path: String
  var items: ImportedItems
  /// The keys of the import; `nil` if duplicate keys are errors.
  let keys: ImportedKeys?
  /// The handling of dataset items that are missing from the input of a match; `nil` for other
  /// imports.
  var missing: MissingItems?
  /// The expected revision of the dataset for a match or a new order; `nil` for any.
  var expected: Int?
  /// The order of the dataset after the import; `.some(nil)` for none, `nil` for the present one.
  private(set) var order: DatasetOrder??
  /// The items of a match that the dataset did not have.
  var newCount = 0

  /// Adds an item at the end of its section. A new section is added at the end.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - section: The section's key.
  ///   - style: The section's style, instead of an earlier one; `nil` states none.
  ///   - line: The input's line, from 1, for errors about duplicate keys; below 1 if unknown.
  /// - Throws: ``LayoutCacheError`` with `limit`, and then nothing is added; with `database` if
  ///   the disk fails.
  /// - Complexity: O(1) amortized, in constant memory.
  public mutating func add(
    _ item: Item, section: String = defaultSection, style: String? = nil, line: Int = 0
  ) throws {
    try mappingErrors(path) {
      if let style { try items.setStyle(style, ofSection: section) }
      if let keys, try !keys.add(UpsertedItem(item), line: line, text: nil) { return }
      try append(item, section: section, line: line)
    }
  }

  /// Adds an item. If duplicates update and its key is already present, updates that item;
  /// omitted values stay.
  ///
  /// - Throws: The errors of ``add(_:section:style:line:)-(Item,_,_,_)``.
  public mutating func add(
    _ item: UpsertedItem, section: String = defaultSection, style: String? = nil, line: Int = 0
  ) throws {
    try add(item, section: section, style: style, line: line, text: nil)
  }

  /// Adds an item like ``add(_:section:style:line:)-(UpsertedItem,_,_,_)``.
  ///
  /// - Parameter text: The row's text, for ``ImportedRows``, if duplicates are skipped.
  /// - Returns: Whether no earlier row has the key; always if duplicates are errors.
  @discardableResult
  package mutating func add(
    _ item: UpsertedItem, section: String, style: String?, line: Int, text: [UInt8]?
  ) throws -> Bool {
    try mappingErrors(path) {
      if let style { try items.setStyle(style, ofSection: section) }
      if let keys, try !keys.add(item, line: line, text: text) { return false }
      try append(item.new, section: section, line: line)
      return true
    }
  }

  /// Sets the order of the dataset; `nil` for none.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`.
  package mutating func sort(by order: DatasetOrder?) throws {
    try mappingErrors(path) { try order?.check() }
    self.order = .some(order)
  }

  /// The texts of the rows; `nil` if duplicates are errors.
  package var rows: ImportedRows? { keys.map { ImportedRows(keys: $0, path: path) } }

  private mutating func append(_ item: Item, section: String, line: Int) throws {
    let number = try items.section(section)
    try Limits.check(items.count + 1, in: 0...Limits.itemsMax, as: "items")
    try items.append(item, section: number, line: line)
  }

  /// Sets a progress callback for building the dataset, which begins after the last item was added.
  ///
  /// - Parameter watch: Called repeatedly with the number of items built so far and the total. If
  ///   it throws, the import is abandoned. It is not called once the items are being published.
  package mutating func watchBuilding(
    _ watch: @escaping (_ placedItems: Int, _ itemCount: Int) throws -> Void
  ) {
    items.watch = watch
  }

  /// Sorts the sections of the import, after its last item.
  package mutating func sortSections(by precedes: (String, String) -> Bool) {
    items.sortSections(by: precedes)
  }

  /// Adds a section at the end, unless its key is known. This sets the order of sections and
  /// permits sections without items.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - style: The section's style, instead of an earlier one; `nil` states none.
  /// - Throws: ``LayoutCacheError`` with `limit`.
  public mutating func addSection(_ key: String, style: String? = nil) throws {
    try mappingErrors(path) {
      _ = try items.section(key)
      if let style { try items.setStyle(style, ofSection: key) }
    }
  }
}
