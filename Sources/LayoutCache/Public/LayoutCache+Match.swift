public import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Makes a dataset equal to a list: the same sections and items in the same order, with the
  /// list's styles, sizes, spans and data.
  ///
  ///     let commit = try cache.update("feed", toMatch: [
  ///       MatchedSection(key: "today", items: today), MatchedSection(key: "older", items: older),
  ///     ])
  ///
  /// As few items as possible are moved: those that stay in their section form one of its longest
  /// increasing subsequences. Marks stay, and so do measured lengths, except of items whose natural
  /// size changes. The difference is computed without the write lock; after three attempts that
  /// other commits have preceded, with it. It is committed as one revision of ordinary changes,
  /// with ordinary updates and contexts; without a difference there is none. A difference of more
  /// than 16 MiB in the log is published as an import, whose updates are `everything`.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - sections: The list. Section keys and item keys are unique.
  ///   - missing: How to handle items and sections missing from the list.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - anchor: What keeps its place in that rectangle.
  ///   - direction: The layout direction of the rectangle; `nil` for the configuration's.
  ///   - layouts: The layouts that the commit brings up to date.
  ///   - expected: The revision that the list is based on; at any other revision the call fails.
  ///     `nil` accepts any revision.
  /// - Returns: As ``update(_:with:visible:anchor:direction:preparing:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `refused` with `duplicateKey` or `sectionTwice` for a key that
  ///   occurs twice; `revisionMismatch`, `noSuchDataset`, `limit`, `database`; for a difference of
  ///   more than 16 MiB also `concurrentModification` if other commits changed the dataset during
  ///   each of three attempts. Nothing is then changed.
  /// - Complexity: A pass over the list and the dataset's sections, with a look-up for each
  ///   item that does not follow its predecessor in the dataset; O(log items) nodes for each
  ///   change; 20 bytes of memory per item.
  @discardableResult
  public func update(
    _ dataset: String, toMatch sections: [MatchedSection], missing: MissingItems = .remove,
    visible: Rect? = nil, anchor: OffsetAnchor = .cell,
    direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil
  ) throws -> Commit {
    try call { _ in
      do {
        return try update(
          dataset, with: [.match(sections, missing: missing)], visible: visible,
          anchor: anchor, direction: direction, preparing: layouts, expecting: expected)
      } catch let error as LayoutCacheError {
        guard case .batchTooLong = error.code else { throw error }
      }
      var importer = try beginImport(into: dataset, .match, .fail, missing)
      importer.expected = expected
      for section in sections {
        try importer.addSection(section.key, style: section.style)
        for item in section.items { try importer.add(item, section: section.key) }
      }
      let summary = try finish(&importer, into: dataset, .match)
      return try store.read { reader in
        let row = try reader.requireDataset(dataset)
        var commit = Commit(changingNothingAt: summary.revision, of: row)
        commit.updates = .everything(.imported)
        return commit
      }
    }
  }

  /// Makes a dataset equal to the items of an importer, with one batch.
  ///
  /// - Returns: `nil` if the difference is too large for a batch.
  /// - Throws: ``LayoutCacheError`` with `duplicateKey`; errors of reading and committing.
  func match(_ importer: inout Importer, _ name: String) throws -> ImportSummary? {
    let batch = ImportedBatch(importer)
    do {
      let request = ChangeRequest(.append(batch), expected: importer.expected)
      return batch.summary(at: try commit(request, to: name).revision)
    } catch let error as LayoutCacheError {
      guard case .batchTooLong = error.code else { throw error }
      return nil
    }
  }

  /// Appends the sections and items of an importer to a builder, including items that the match
  /// retains, each with its measured lengths.
  static func append(
    matched importer: inout Importer, missing: MissingItems, on trees: DatasetTrees,
    to builder: inout DatasetBuilder, in session: TreeSession
  ) throws {
    let difference: ListDifference
    do {
      difference = try ListDifference(
        from: trees, to: &importer.items, missing: missing, in: session
      ) { _, _, _, _ in }
    } catch BatchError.duplicateKey(let key) {
      throw try importer.items.error(ofDuplicates: [ExactKey(key)])
    }
    var newCount = 0
    let (watch, total) = (importer.items.watch, importer.items.count)
    var old = OldItems(trees, session)
    for section in difference.sections {
      var run = ItemRun()
      var rest = section.items[...]
      func keepMissing() throws {
        while let item = rest.first, item >= 0, difference.listedIn[item] == 0 {
          run.append(try old.run(of: item))
          rest.removeFirst()
        }
      }
      try keepMissing()
      if let number = section.listed {
        try importer.items.forEachItemRun(ofSection: number) { items in
          let data = items.data.items
          for index in 0..<items.count {
            let item = items.items.item(at: index, data: data[index])
            let place = rest.removeFirst()
            if place < 0 {
              run.append(item)
              newCount += 1
            } else {
              run.append(try old.run(of: place, becoming: item))
            }
            try keepMissing()
          }
          try builder.append(run)
          run = ItemRun()
          try watch(min(builder.itemCount, total), total)
        }
      }
      try builder.append(run)
      var entry = SectionLeaf.Entry(key: section.key, itemCount: section.items.count)
      if let index = section.old {
        let place = try trees.sections.place(at: index, in: session)
        let old = place.leaf.entries[place.index]
        (entry.supplementaryLengths, entry.style) = (old.supplementaryLengths, old.style)
      }
      if let number = section.listed {
        entry.style = importer.items.style(ofSection: number)
      }
      try builder.endSection(entry)
    }
    importer.newCount = newCount
  }
}

/// A reader of a dataset's items by index. Adjacent items need no search.
private struct OldItems {
  private let trees: DatasetTrees
  private let session: TreeSession
  private var data: ItemDataFinger
  private var leaf = ItemLeaf()
  private var start = 0

  init(_ trees: DatasetTrees, _ session: TreeSession) {
    (self.trees, self.session) = (trees, session)
    data = ItemDataFinger(trees.data, in: session)
  }

  /// Returns an unchanged item.
  mutating func run(of item: Int) throws -> ItemRun {
    ItemRun(try items(of: item), try data.run(of: item..<(item + 1)))
  }

  /// Returns an item with a new size, span, visibility and data. Lengths measured for the same size stay.
  mutating func run(of item: Int, becoming new: Item) throws -> ItemRun {
    var items = try items(of: item)
    items.resize(at: 0, to: new.size, columnSpan: new.columnSpan)
    items.setVisibility(new.visibility, at: 0)
    var data = ItemDataRun()
    data.append(new.data)
    return ItemRun(items, data)
  }

  private mutating func items(of item: Int) throws -> ItemLeaf {
    if !(start..<(start + leaf.count)).contains(item) {
      (leaf, start) = try trees.items.leaf(containing: item, in: session)
    }
    return leaf.slice((item - start)..<(item - start + 1))
  }
}
