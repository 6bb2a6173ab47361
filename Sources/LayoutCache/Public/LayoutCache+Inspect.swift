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
        let state = try current(name, reader: reader)
        let row = state.row
        let (nodeCount, nodeBytes) = try reader.nodeBytes(in: row.space)
        return DatasetInspection(
          name: row.name, revision: state.revision, sectionCount: state.trees.sections.count,
          itemCount: state.trees.items.count,
          trees: [
            state.trees.items.inspection("items"), state.trees.sections.inspection("sections"),
            state.trees.itemKeys.tree.inspection("itemKeys"),
            state.trees.sectionKeys.tree.inspection("sectionKeys"),
          ],
          nodeCount: nodeCount, nodeBytes: nodeBytes,
          logBatches: try reader.logExtent(of: row.id, after: 0).batches,
          layouts: try reader.layouts(of: row.id).map {
            try inspect($0, of: state, sectionLimit: sectionLimit, reader: reader)
          })
      }
    }
  }

  private func inspect(
    _ row: LayoutRow, of state: DatasetState, sectionLimit: Int, reader: StoreReader
  ) throws -> LayoutInspection {
    var inspection = LayoutInspection(
      name: row.name, preparedRevision: row.isOutdated ? nil : row.result?.revision,
      pendingContexts: state.revision - (row.result?.revision ?? 0), contentSize: nil,
      tree: TreeInspection(name: "results", elementCount: 0, depth: 0), nodeCount: 0,
      nodeBytes: 0, bytesPerItem: nil, sections: [])
    guard let result = row.result else { return inspection }
    let itemCount = state.trees.items.count
    (inspection.nodeCount, inspection.nodeBytes) = try reader.nodeBytes(in: result.space)
    inspection.bytesPerItem =
      itemCount == 0 ? nil : Double(inspection.nodeBytes) / Double(itemCount)
    let plan: LayoutPlan
    do {
      plan = try row.plan(of: result.configuration, reader, kinds: customKinds)
    } catch let error as LayoutCacheError {
      guard case .configuration = error.code else { throw error }
      // A section kind that another program has registered: nothing but its nodes can
      // be counted.
      if let stored = try storedResults(row, of: state) {
        inspection.tree = stored.inspection("results")
      }
      return inspection
    }
    // As a query would see it, unless that takes a layout from scratch.
    var state = state
    let layout: LayoutState
    do {
      _ = try state.bring(row.name, mayBeBehind: true, reader: reader, kinds: customKinds)
      guard let caughtUp = state.layout(named: row.name) else { return inspection }
      layout = caughtUp
    } catch is DatasetState.Hindrance {
      guard let stored = try storedResults(row, of: state) else { return inspection }
      inspection.tree = stored.inspection("results")
      inspection.contentSize = plan.space.contentSize(mainLength: plan.mainLength(of: stored))
      return inspection
    } catch {
      guard let damage = Damage(error) else { throw error }
      throw LayoutCacheError.damaged(layout: row.name, of: state.row.name, damage.detail)
    }
    let results = layout.results
    inspection.tree = results.inspection("results")
    inspection.contentSize = layout.contentSize
    let nodes = TreeReader(reader, keepsNodes: false)
    var sections = Cursor(state.trees.sections, at: SectionPlace(), reader: nodes)
    var cursor = Cursor(results, at: ElementOffset(), reader: nodes)
    while inspection.sections.count < sectionLimit, try cursor.next() {
      for (offset, entry) in cursor.leaf.entries.enumerated()
      where inspection.sections.count < sectionLimit {
        guard try sections.seek(toElement: cursor.offset + offset) else {
          throw LayoutCacheError.damaged(
            layout: row.name, of: state.row.name, "it has more sections than its dataset")
        }
        let section = sections.leaf.entries[cursor.offset + offset - sections.offset]
        inspection.sections.append(
          SectionInspection(
            section, result: entry, plan: plan.section(section.key)))
      }
    }
    return inspection
  }

  private func storedResults(
    _ row: LayoutRow, of state: DatasetState
  ) throws -> SumTree<SectionResultLeaf>? {
    do {
      return try row.results()
    } catch let error as DamagedLayout {
      throw LayoutCacheError.damaged(layout: row.name, of: state.row.name, error.detail)
    }
  }
}

extension SectionInspection {
  fileprivate init(_ section: SectionLeaf.Entry, result: SectionResult, plan: SectionPlan) {
    self.init(
      key: section.key, itemCount: section.itemCount,
      treeDepth: result.content.treeDepth, columnEnds: [])
    guard case .waterfall(let waterfall) = plan.kind, let tree = result.content.waterfall,
      tree.summary.map.width <= waterfall.tracks.count
    else { return }
    columnEnds = tree.summary.columnEnds(of: waterfall)
  }
}

extension SumTree {
  /// The tree, counted.
  func inspection(_ name: String) -> TreeInspection {
    TreeInspection(name: name, elementCount: count, depth: isEmpty ? 0 : height + 1)
  }
}
