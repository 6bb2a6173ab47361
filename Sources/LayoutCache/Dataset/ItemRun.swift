import SumTree

/// Items in order, with their data: the unit of insertion into a dataset and removal from it.
///
/// Items and data are separate, as in the dataset, because layouts only use the items.
struct ItemRun: Sendable, Equatable {
  /// The items, without a label.
  private(set) var items = ItemLeaf()
  /// The items' data, for the same number of items.
  private(set) var data = ItemDataRun()

  var count: Int { items.count }

  init() {}

  /// - Parameter data: The items' data; no item has data if omitted.
  init(_ items: ItemLeaf, _ data: ItemDataRun? = nil) {
    let data = data ?? ItemDataRun(itemCount: items.count)
    precondition(data.itemCount == items.count, "the data belong to the items")
    (self.items, self.data) = (items, data)
    self.items.label = 0
  }

  mutating func append(_ item: Item) {
    items.append(item)
    data.append(item.data)
  }

  mutating func append(_ run: ItemRun) {
    items.append(run.items)
    data.append(run.data)
  }

  /// Appends the item after a place of another run.
  mutating func append(_ run: ItemRun, at place: ItemDataRun.Place) {
    items.append(run.items, at: place.item)
    data.append(run.data, at: place)
  }

  func key(at index: Int) -> String { items.key(at: index) }

  // items  as ItemLeaf, whose label is 0
  // data   as ItemDataLeaf

  func encodeWithData(into writer: inout ByteWriter) {
    items.encode(into: &writer)
    data.leaf.encode(into: &writer)
  }

  init(withDataFrom reader: inout ByteReader) throws(ByteError) {
    let leaf = try ItemLeaf(from: &reader)
    self.init(leaf, try ItemDataRun(of: leaf.count, from: &reader))
  }
}
