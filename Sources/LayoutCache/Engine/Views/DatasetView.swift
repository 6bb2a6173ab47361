import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The items of a dataset that match a filter, in the dataset's order or in another one.
///
///     let sale = try DatasetView(where: "price < 100 AND NOT sold EXISTS", order: [.init(by: "price")])
///     let page = try cache.read(phone, showing: sale) { try $0.elements(in: visible) }
///
/// A view is derived: it has no revisions, and its answers name those of its dataset.
public struct DatasetView: Hashable, Sendable {
  let filter: ItemFilter?
  /// The order of the items, in one section `main`; without members the dataset's order, in its
  /// sections that have an item of the view.
  public let order: [DatasetOrder.Member]

  /// - Parameters:
  ///   - filter: The condition on items, in the language of *Filters and order*; `nil` for all items.
  ///   - order: As ``order``, at most ``DatasetOrder/membersMax`` members.
  /// - Throws: ``LayoutCacheError``: `filter`, `limit`.
  public init(
    where filter: String? = nil, order: [DatasetOrder.Member] = []
  ) throws(LayoutCacheError) {
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
    return try DatasetView(
      where: both.isEmpty ? nil : both.joined(separator: " AND "),
      order: own.order.isEmpty ? order : own.order)
  }

  /// The members that the filter compares with a number.
  var numericMembers: [ExactKey] {
    let numeric = filter?.numericMembers ?? []
    return filter?.members.filter(numeric.contains) ?? []
  }

  /// All items in the dataset's order.
  package static let whole = DatasetView(filter: nil, order: [])

  private init(filter: ItemFilter?, order: [DatasetOrder.Member]) {
    (self.filter, self.order) = (filter, order)
  }

  /// Whether the view has all items in the dataset's order.
  package var isWhole: Bool { filter == nil && order.isEmpty }

  /// The order as that of a dataset; `nil` for that of the dataset.
  var ownOrder: DatasetOrder? { order.isEmpty ? nil : DatasetOrder(order) }

  /// A number that other views have by chance only, equal in all processes.
  var digest: Int64 {
    let order = order.map { "\($0.descending)\0\($0.by)\0" }.joined()
    return HistoryNumber(digesting: "\(filter?.description ?? "")\0\(order)").rawValue
  }

  // filter  text, empty for none
  // order   as that of a dataset, without sections

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(text: filterText ?? "")
    DatasetOrder(order).encode(into: &writer)
    return writer.bytes
  }

  /// - Throws: `ByteError`; ``LayoutCacheError`` as ``init(where:order:)``.
  init(encoded bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let filter = try reader.readText(limit: ItemFilter.textBytesMax)
      let order = try DatasetOrder(from: &reader).members
      try reader.expectEnd()
      return try DatasetView(where: filter.isEmpty ? nil : filter, order: order)
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
