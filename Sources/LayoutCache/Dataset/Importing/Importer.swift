import LayoutGeometry
import LayoutStore
import SumTree

/// Takes the items of one import.
public struct Importer: ~Copyable {
  /// The section of items that name none.
  public static let defaultSection = "main"

  /// The database's file, for errors.
  let path: String
  var items: ImportedItems
  /// `nil` where no key may be there already.
  let keys: ImportedKeys?
  /// How a match handles items of the dataset that are not given; `nil` for other imports.
  var missing: MissingItems?
  /// The revision that a match is made for; `nil` for any.
  var expected: Int?
  /// The items of a match that the dataset did not have.
  var newCount = 0

  /// Adds an item after those of its section; a section that is new comes behind
  /// the others.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - section: The section's key.
  ///   - line: The input's line, from 1, named where the key turns out to be taken; below 1
  ///     where it is not known.
  /// - Throws: ``LayoutCacheError`` with `limit`, and then nothing is added;
  ///   with `database` where the disk fails.
  /// - Complexity: O(1) amortized, in constant memory.
  public mutating func add(
    _ item: Item, section: String = defaultSection, line: Int = 0
  ) throws {
    try mappingErrors(path) {
      if let keys, try !keys.add(UpsertedItem(item), line: line) { return }
      try append(item, section: section, line: line)
    }
  }

  /// Adds an item, or, where duplicates update and its key is there already, says what it
  /// becomes: what is not stated stays.
  ///
  /// - Throws: As ``add(_:section:line:)-(Item,_,_)``.
  public mutating func add(
    _ item: UpsertedItem, section: String = defaultSection, line: Int = 0
  ) throws {
    try mappingErrors(path) {
      if let keys, try !keys.add(item, line: line) { return }
      try append(item.new, section: section, line: line)
    }
  }

  private mutating func append(_ item: Item, section: String, line: Int) throws {
    let number = try items.section(section)
    try Limits.check(items.count + 1, in: 0...Limits.itemsMax, as: "items")
    try items.append(item, section: number, line: line)
  }

  /// Has the building of the dataset watched, which follows when all items have come.
  ///
  /// - Parameter watch: Called with the items put in place, of all, again and again; where it
  ///   throws the import is given up. It is not called once the items are being published.
  package mutating func watchBuilding(
    _ watch: @escaping (_ placedItems: Int, _ itemCount: Int) throws -> Void
  ) {
    items.watch = watch
  }

  /// Adds a section after the others, or nothing where the key is known: a way to
  /// say their order, and to have sections without items.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`.
  public mutating func addSection(_ key: String) throws {
    try mappingErrors(path) { _ = try items.section(key) }
  }
}
