import SumTree

/// Items in order, with their data: what comes into a dataset together, or goes.
///
/// The two stand apart, as they do in the dataset: what has to do with layouts takes the
/// items alone.
struct ItemRun: Sendable, Equatable {
  /// Of no leaf: without a label.
  private(set) var items = ItemLeaf()
  /// As many.
  private(set) var data = ItemDataRun()

  var count: Int { items.count }

  init() {}

  /// - Parameter data: The items' data; of none where left out.
  init(_ items: ItemLeaf, _ data: ItemDataRun? = nil) {
    let data = data ?? ItemDataRun(itemCount: items.count)
    precondition(data.itemCount == items.count, "data are those of the items")
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
