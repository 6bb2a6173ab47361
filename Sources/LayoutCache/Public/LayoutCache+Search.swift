package import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// An item that a search has found.
package struct FoundItem: Sendable {
  /// The indices of the section and of the item in it.
  package var path: LayoutAttributes.IndexPath
  package var sectionKey: String
  package var key: String
  package var data: ItemData?
}

/// The part of a search that is done.
package struct SearchProgress: Sendable, Equatable {
  /// The number of items that were compared.
  package var itemCount = 0
  /// The bytes of the data of these items.
  package var dataBytes = 0
}

extension LayoutCache {
  /// The number of items after which a search reports its progress.
  private static let searchRun = 256

  /// Calls `body` with each item whose key or data contain a text, in order, all of one revision.
  ///
  /// - Parameters:
  ///   - start: The first item that is compared.
  ///   - end: The item at which the search ends; `nil` for the end of the dataset.
  ///   - progress: Called for every few hundred items. The search ends if it returns `false`.
  ///   - body: Called with an item that was found. The search ends if it returns `false`.
  /// - Returns: The progress, and the index path of the first item that was not compared; `nil`
  ///   if the search has reached its end.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; errors of the closures.
  /// - Complexity: O(items compared), in constant memory, in one read transaction.
  package func search(
    _ text: SearchText, in dataset: String, from start: LayoutAttributes.IndexPath,
    to end: LayoutAttributes.IndexPath?, progress: (SearchProgress) throws -> Bool,
    _ body: (FoundItem) throws -> Bool
  ) throws -> (progress: SearchProgress, next: LayoutAttributes.IndexPath?) {
    try mappingErrors(path) {
      try store.readLong {
        reader -> (progress: SearchProgress, next: LayoutAttributes.IndexPath?) in
        let trees = try current(dataset, reader: reader).trees
        let session = TreeSession(reader, keepsNodes: false)
        var sections = ElementFinger(trees.sections, from: SectionPosition(), in: session)
        var items = ElementFinger(trees.items, in: session)
        var data = ItemDataFinger(trees.data, in: session)
        var done = SearchProgress()
        var (section, item) = (start.section, start.item ?? 0)
        while end.map({ section <= $0.section }) ?? true,
          try sections.seek(toElement: section)
        {
          let entry = sections.leaf.entries[sections.index]
          let last = end.flatMap { $0.section == section ? $0.item ?? 0 : nil } ?? .max
          while item < min(last, entry.itemCount) {
            let number = sections.before.item + item
            guard try items.seek(toElement: number) else { break }
            let found = FoundItem(
              path: LayoutAttributes.IndexPath(section: section, item: item),
              sectionKey: entry.key, key: items.leaf.key(at: items.index),
              data: try data.data(ofItem: number))
            item += 1
            done.itemCount += 1
            done.dataBytes += found.data?.json.utf8.count ?? 0
            var goesOn = true
            if text.isIn(found.key) || found.data.map(text.isIn) ?? false {
              goesOn = try body(found)
            }
            if done.itemCount % Self.searchRun == 0 { goesOn = try progress(done) && goesOn }
            if !goesOn {
              return (done, LayoutAttributes.IndexPath(section: section, item: item))
            }
          }
          (section, item) = (section + 1, 0)
        }
        return (done, nil)
      }
    }
  }
}
