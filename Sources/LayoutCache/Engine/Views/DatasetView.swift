import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The items of a dataset that match a filter, in the dataset's order or in another one; or listed
/// items, in the order of the list.
///
///     let sale = try DatasetView(where: "price < 100 AND NOT sold EXISTS", order: [.init(by: "price")])
///     let page = try cache.read(phone, showing: sale) { try $0.elements(in: visible) }
///
/// A view is derived: it has no revisions, and its answers name those of its dataset.
public struct DatasetView: Hashable, Sendable {
  let filter: ItemFilter?
  /// The listed keys; `nil` for a view of all items that match the filter.
  let list: KeyList?
  /// The order of the items, in one section `main`; without members the dataset's order, in its
  /// sections that have an item of the view.
  public let order: [DatasetOrder.Member]

  /// - Parameters:
  ///   - filter: The condition on items, in the language of *Filters and order*; `nil` for all items.
  ///   - order: As ``order``, at most four members.
  /// - Throws: ``LayoutCacheError``: `filter`, `limit`.
  public init(
    where filter: String? = nil, order: [DatasetOrder.Member] = []
  ) throws(LayoutCacheError) {
    try self.init(where: filter, order: order, list: nil)
  }

  /// A view of some items in the given order, in one section `main`, such as the result of a search
  /// engine. Items with listed keys that do not exist yet are in it once they do.
  ///
  /// - Parameter keys: Up to 100,000 keys, of 4,000,000 bytes together with 3 for each.
  /// - Throws: ``LayoutCacheError`` with `filter`, beyond these limits and for a key that occurs twice.
  public init(keys: [String]) throws(LayoutCacheError) {
    self.init(of: try Self.list(keys))
  }

  private static func list(_ keys: [String]) throws(LayoutCacheError) -> KeyList {
    do { return try KeyList(keys) } catch { throw LayoutCacheError(.filter("\(error)")) }
  }

  init(of list: KeyList) { self.init(filter: nil, order: [], list: list) }

  private init(
    where filter: String?, order: [DatasetOrder.Member], list: KeyList?
  ) throws(LayoutCacheError) {
    self.list = list
    do {
      self.filter = try filter.map { text throws(ItemFilterError) in try ItemFilter(text) }
    } catch { throw LayoutCacheError(.filter(error.description)) }
    do { try DatasetOrder(order).check() } catch { throw LayoutCacheError(.limit(error)) }
    self.order = order
  }

  /// The condition on items, in normal form; `nil` for all items.
  public var filterText: String? { filter?.description }

  /// Returns the items of the view that match another filter too, in the other order if it has one.
  ///
  /// - Throws: ``LayoutCacheError`` with `filter`, if both together are too long.
  package func narrowed(to own: DatasetView?) throws(LayoutCacheError) -> DatasetView {
    guard let own else { return self }
    let both = [filterText, own.filterText].compactMap(\.self).map { "(\($0))" }
    var shared = own.list ?? list
    if let list, let keys = own.keys {
      shared = try Self.list(keys.filter { list.place(of: $0) != nil })
    }
    return try DatasetView(
      where: both.isEmpty ? nil : both.joined(separator: " AND "),
      order: own.hasSections ? order : own.order, list: shared)
  }

  /// The members that the filter compares with a number.
  var numericMembers: [ExactKey] {
    let numeric = filter?.numericMembers ?? []
    return filter?.members.filter(numeric.contains) ?? []
  }

  /// All items in the dataset's order.
  package static let whole = DatasetView(filter: nil, order: [], list: nil)

  private init(filter: ItemFilter?, order: [DatasetOrder.Member], list: KeyList?) {
    (self.filter, self.order, self.list) = (filter, order, list)
  }

  /// The listed keys; `nil` for a view of all items that match the filter.
  package var keys: [String]? { list?.keys }

  /// Whether the view has all items in the dataset's order.
  package var isWhole: Bool { filter == nil && hasSections }

  /// Whether the items are in the dataset's order, in its sections.
  var hasSections: Bool { order.isEmpty && list == nil }

  /// The order as that of a dataset; `nil` for that of the dataset.
  var ownOrder: DatasetOrder? {
    order.isEmpty ? list.map { DatasetOrder(of: $0) } : DatasetOrder(order)
  }

  /// A number that other views have by chance only, equal in all processes.
  var digest: Int64 {
    let order = order.map { "\($0.descending)\0\($0.by)\0" }.joined()
    let list = list.map { "\0\($0.digest)" } ?? ""
    return HistoryNumber(digesting: "\(filter?.description ?? "")\0\(order)\(list)").rawValue
  }

  // filter  text, empty for none
  // order   as that of a dataset, without sections
  // list    if there is one: u8: 1, and the keys as texts

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(text: filterText ?? "")
    DatasetOrder(order).encode(into: &writer)
    if let keys {
      writer.writeUInt8(1)
      for key in keys { writer.write(text: key) }
    }
    return writer.bytes
  }

  /// - Throws: `ByteError`; ``LayoutCacheError`` as ``init(where:order:)`` and ``init(keys:)``.
  init(encoded bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let filter = try reader.readText(limit: ItemFilter.textBytesMax)
      let order = try DatasetOrder(from: &reader).members
      var keys: [String]?
      if !reader.isAtEnd {
        guard try reader.readUInt8() == 1 else { throw reader.malformed("list of keys") }
        keys = []
        while !reader.isAtEnd { keys?.append(try reader.readText(limit: Limits.nameBytesMax)) }
      }
      return try DatasetView(
        where: filter.isEmpty ? nil : filter, order: order, list: keys.map(Self.list))
    }
  }

  /// Returns whether an item is in the view.
  ///
  /// - Parameters:
  ///   - items: A leaf with the item, at `index`.
  ///   - data: The item's data.
  ///   - section: The key of its section.
  /// - Complexity: O(bytes of the data).
  func includes(
    _ items: ItemLeaf, _ index: Int, _ data: UnsafeRawBufferPointer?, section: String
  ) -> Bool {
    if let list, list.place(of: items.key(at: index)) == nil { return false }
    guard let filter else { return true }
    // Parsed at most once.
    var values: [FilterValue?]?
    return filter.matches { field in
      switch field {
      case .key: .text(ExactKey(items.key(at: index)))
      case .section: .text(ExactKey(section))
      case .width: .number(FilterNumber(items.size(at: index).width.points))
      case .height: .number(FilterNumber(items.size(at: index).height.points))
      case .member(let name): filter.members.value(of: name, in: data, &values)
      }
    }
  }
}
