public import CollectionLayout
import SumTree

/// The data of the items of some elements.
public struct ElementsData: Sendable {
  /// For each element, in order, its item's data; `nil` for those of an item without, and
  /// for what is no cell.
  public var data: [ItemData?]
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// Returns the data of the items of elements.
  ///
  ///     let page = try snapshot.elements(in: rect)
  ///     let titles = try snapshot.data(of: page.elements).data.map { $0?.json }
  ///
  /// - Parameter elements: Elements of this snapshot, mostly those of a page.
  /// - Complexity: O(log items with data) nodes and the leaves that hold the cells' data,
  ///   some twelve items each, for each run of cells that stand together; besides
  ///   O(log sections) for each section. Nothing is read in a dataset without data.
  public func data(of elements: [LayoutAttributes]) throws -> ElementsData {
    let answer = try query { try self.data(of: elements, in: $0.session) }
    return ElementsData(data: answer.result, work: answer.work)
  }

  /// As ``data(of:)``, by way of a session.
  func data(of elements: [LayoutAttributes], in session: TreeSession) throws -> [ItemData?] {
    guard !trees.data.isEmpty else { return Array(repeating: nil, count: elements.count) }
    var sections = ElementFinger(trees.sections, from: SectionPlace(), in: session)
    var finger = ItemDataFinger(trees.data, in: session)
    return try elements.map { element in
      guard case .cell = element.category else { return nil }
      return try number(of: element.indexPath, &sections).flatMap {
        try finger.data(ofItem: $0)
      }
    }
  }

  /// Returns the data of the item at an index path.
  ///
  /// - Returns: `nil` where the dataset has no such item, or that has no data.
  /// - Complexity: O(log sections + log items with data) nodes.
  public func data(at path: LayoutAttributes.IndexPath) throws -> ItemData? {
    try query { state in
      var sections = ElementFinger(trees.sections, from: SectionPlace(), in: state.session)
      return try number(of: path, &sections).flatMap {
        try trees.data.data(ofItem: $0, in: state.session)
      }
    }.result
  }

  /// Returns the data of the item with a key.
  ///
  /// - Returns: `nil` where the dataset has no such item, or that has no data.
  /// - Throws: ``LayoutCacheError``: `limit` for what can be no key, `database`.
  /// - Complexity: O(log items) nodes.
  public func data(forKey key: String) throws -> ItemData? {
    try query { state in
      try Limits.check(name: key, as: "key")
      return try trees.itemIndex(ofKey: key, in: state.session).flatMap {
        try trees.data.data(ofItem: $0, in: state.session)
      }
    }.result
  }

  /// The number of the item at an index path, counted from the dataset's first.
  private func number(
    of path: LayoutAttributes.IndexPath,
    _ sections: inout ElementFinger<SectionLeaf, SectionPlace>
  ) throws -> Int? {
    guard let item = path.item, item >= 0, try sections.seek(toElement: path.section),
      item < sections.leaf.entries[sections.index].itemCount
    else { return nil }
    return sections.before.item + item
  }
}
