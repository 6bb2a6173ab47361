public import CollectionLayout
import SumTree

/// The data of the items of some elements.
public struct ElementsData: Sendable {
  /// The item's data for each element, in order; `nil` for items without data, and for elements
  /// other than cells.
  public var data: [ItemData?]
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// Returns the data of the items of elements.
  ///
  ///     let page = try snapshot.elements(in: rect)
  ///     let titles = try snapshot.data(of: page.elements).data.map { $0?.json }
  ///
  /// - Parameter elements: Elements of this snapshot, usually those of a page.
  /// - Complexity: For each run of adjacent cells, O(log items with data) nodes and the leaves
  ///   with the cells' data, about twelve items each; for each section O(log sections). Nothing
  ///   is read in a dataset without data.
  public func data(of elements: [LayoutAttributes]) throws -> ElementsData {
    let answer = try query { try self.data(of: elements, in: $0.session) }
    return ElementsData(data: answer.result, work: answer.work)
  }

  /// As ``data(of:)``, with a session.
  func data(of elements: [LayoutAttributes], in session: TreeSession) throws -> [ItemData?] {
    guard !trees.data.isEmpty else { return Array(repeating: nil, count: elements.count) }
    var sections = ElementFinger(trees.sections, from: SectionPosition(), in: session)
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
  /// - Returns: `nil` if the dataset has no such item, or the item has no data.
  /// - Complexity: O(log sections + log items with data) nodes.
  public func data(at path: LayoutAttributes.IndexPath) throws -> ItemData? {
    try query { state in
      var sections = ElementFinger(trees.sections, from: SectionPosition(), in: state.session)
      return try number(of: path, &sections).flatMap {
        try trees.data.data(ofItem: $0, in: state.session)
      }
    }.result
  }

  /// Returns the data of the item with a key.
  ///
  /// - Returns: `nil` if the dataset has no such item, or the item has no data.
  /// - Throws: ``LayoutCacheError``: `limit` for an invalid key, `database`.
  /// - Complexity: O(log items) nodes.
  public func data(forKey key: String) throws -> ItemData? {
    try query { state in
      try Limits.check(name: key, as: "key")
      return try trees.itemIndex(ofKey: key, in: state.session).flatMap {
        try trees.data.data(ofItem: $0, in: state.session)
      }
    }.result
  }

  /// Returns the index in the dataset of the item at an index path.
  private func number(
    of path: LayoutAttributes.IndexPath,
    _ sections: inout ElementFinger<SectionLeaf, SectionPosition>
  ) throws -> Int? {
    guard let item = path.item, item >= 0, try sections.seek(toElement: path.section),
      item < sections.leaf.entries[sections.index].itemCount
    else { return nil }
    return sections.before.item + item
  }
}
