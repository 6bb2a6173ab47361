import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// What the database file holds.
  ///
  /// - Complexity: Reads the index of all nodes.
  public func inspect() throws -> DatabaseInspection {
    try classified(path) {
      try store.read { reader in
        DatabaseInspection(
          path: path, fileBytes: try reader.fileBytes(),
          datasetCount: try reader.datasetIDs().count, nodeCount: try reader.nodeCount())
      }
    }
  }

  /// What a dataset and its layouts take.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - sectionLimit: How many sections of each layout to describe.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: Reads the sizes of the dataset's nodes.
  public func inspect(
    dataset name: String, sectionLimit: Int = 20
  ) throws -> DatasetInspection {
    try classified(path) {
      try store.read { reader in
        let row = try reader.requireDataset(name)
        let trees = try DatasetTrees(row, hash: store.hash, path: path)
        let (nodeCount, nodeBytes) = try reader.nodeBytes(in: row.space)
        return DatasetInspection(
          name: row.name, revision: row.revision, sectionCount: row.sectionCount,
          itemCount: row.itemCount,
          trees: [
            trees.items.inspection("items"), trees.sections.inspection("sections"),
            trees.itemKeys.tree.inspection("itemKeys"),
            trees.sectionKeys.tree.inspection("sectionKeys"),
          ],
          nodeCount: nodeCount, nodeBytes: nodeBytes,
          layouts: try reader.layouts(of: row.id).map {
            try inspect($0, of: row, trees: trees, sectionLimit: sectionLimit, reader: reader)
          })
      }
    }
  }

  private func inspect(
    _ layout: LayoutRow, of dataset: DatasetRow, trees: DatasetTrees, sectionLimit: Int,
    reader: StoreReader
  ) throws -> LayoutInspection {
    var inspection = LayoutInspection(
      name: layout.name, preparedRevision: layout.result?.revision,
      pendingContexts: dataset.revision - (layout.result?.revision ?? 0), contentSize: nil,
      tree: TreeInspection(name: "results", elementCount: 0, depth: 0), nodeCount: 0,
      nodeBytes: 0, bytesPerItem: nil, sections: [])
    guard let result = layout.result else { return inspection }
    let results: SumTree<SectionResultLeaf>
    do {
      guard let stored = try layout.results() else { return inspection }
      results = stored
    } catch let error as DamagedLayout {
      throw LayoutCacheError.damaged(layout: layout.name, of: dataset.name, error.detail)
    }
    (inspection.nodeCount, inspection.nodeBytes) = try reader.nodeBytes(in: result.space)
    inspection.bytesPerItem =
      dataset.itemCount == 0 ? nil : Double(inspection.nodeBytes) / Double(dataset.itemCount)
    inspection.tree = results.inspection("results")
    let plan = try layout.plan(path: path)
    inspection.contentSize = plan.space.contentSize(mainLength: plan.mainLength(of: results))
    guard result.revision == dataset.revision else { return inspection }
    let nodes = TreeReader(reader, keepsNodes: false)
    var sections = Cursor(trees.sections, at: SectionPlace(), reader: nodes)
    var cursor = Cursor(results, at: ElementOffset(), reader: nodes)
    while inspection.sections.count < sectionLimit, try cursor.next() {
      for (offset, entry) in cursor.leaf.entries.enumerated()
      where inspection.sections.count < sectionLimit {
        guard try sections.seek(toElement: cursor.offset + offset) else {
          throw LayoutCacheError.damaged(
            layout: layout.name, of: dataset.name, "it has more sections than its dataset")
        }
        let section = sections.leaf.entries[cursor.offset + offset - sections.offset]
        inspection.sections.append(
          SectionInspection(
            section, result: entry, plan: plan.section(section.key)))
      }
    }
    return inspection
  }
}

extension SectionInspection {
  fileprivate init(_ section: SectionLeaf.Entry, result: SectionResult, plan: SectionPlan) {
    self.init(
      key: section.key, itemCount: section.itemCount,
      treeDepth: result.waterfall.inspection("").depth, columnEnds: [])
    switch plan.kind {
    case .waterfall(let waterfall):
      guard result.waterfall.summary.width <= waterfall.tracks.count else { return }
      columnEnds = result.waterfall.summary.columnEnds(of: waterfall)
    }
  }
}

extension SumTree {
  /// The tree, counted.
  func inspection(_ name: String) -> TreeInspection {
    TreeInspection(name: name, elementCount: count, depth: isEmpty ? 0 : height + 1)
  }
}

extension ColumnMap {
  /// Where the columns of a whole section end: each column's last item's end, 0
  /// without one.
  func columnEnds(of plan: WaterfallPlan) -> [Length] {
    var positions = [Int64](repeating: 0, count: plan.tracks.count)
    apply(to: &positions)
    return positions.map { $0 == 0 ? .zero : Length(units: $0) - plan.lineSpacing }
  }
}
