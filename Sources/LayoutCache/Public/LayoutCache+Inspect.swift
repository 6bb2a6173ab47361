import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Checks that the file is readable and has not been replaced at its path.
  ///
  /// - Throws: ``LayoutCacheError`` with `fileReplaced`, `database`, `closed`.
  package func checkFile() throws {
    try mappingErrors(path) {
      try store.checkFile()
      _ = try store.read { try $0.dataset(named: "") }
    }
  }

  /// The sizes of the database file and its write-ahead log in bytes; `nil` for a missing file.
  package var fileSizes: (file: Int?, log: Int?) { store.fileSizes }

  /// The number of transactions that this process has committed to the file.
  package var commitCount: Int { store.commitCount }

  /// Returns the size of the database file and the counts of its contents.
  ///
  /// - Complexity: Reads the index of all nodes.
  public func inspect() throws -> DatabaseInspection {
    try mappingErrors(path) {
      try store.read { reader in
        DatabaseInspection(
          path: path, fileBytes: try reader.fileBytes(),
          datasetCount: try reader.datasetCount(), nodeCount: try reader.nodeCount())
      }
    }
  }

  /// Returns the sizes of a dataset and its layouts.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - sectionLimit: The maximum number of sections described per layout; none below 1.
  ///   - countingMeasured: Whether to count the measured lengths of each layout.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: Reads the sizes of the dataset's nodes; to count measured lengths, the nodes
  ///   of all items.
  public func inspect(
    dataset name: String, sectionLimit: Int = 20, countingMeasured: Bool = false
  ) throws -> DatasetInspection {
    try mappingErrors(path) {
      try store.read { reader in
        let state = try current(name, reader: reader)
        let row = state.row
        let (nodeCount, nodeBytes) = try reader.nodeBytes(in: row.space)
        let measured = try countingMeasured ? measuredLengthCounts(in: state, reader) : nil
        return DatasetInspection(
          name: row.name, revision: state.revision, sectionCount: state.trees.sections.count,
          itemCount: state.trees.items.count,
          trees: [
            state.trees.items.inspection("items"), state.trees.sections.inspection("sections"),
            state.trees.itemKeys.tree.inspection("itemKeys"),
            state.trees.sectionKeys.tree.inspection("sectionKeys"),
            state.trees.data.inspection("data"),
          ],
          nodeCount: nodeCount, nodeBytes: nodeBytes,
          logBatches: try reader.logEntryCount(of: row.id),
          layouts: try reader.layouts(of: row.id).map {
            var layout = try inspect($0, of: state, sectionLimit: sectionLimit, reader: reader)
            layout.measured = measured.map { $0[ExactKey(layout.name)] ?? .none }
            return layout
          })
      }
    }
  }

  private func inspect(
    _ row: LayoutRow, of state: DatasetState, sectionLimit: Int, reader: StoreReader
  ) throws -> LayoutInspection {
    var inspection = LayoutInspection(
      name: row.name, preparedRevision: row.preparedRevision,
      pendingRevisions: state.revision - (row.result?.revision ?? 0), contentSize: nil,
      tree: TreeInspection(name: "results", elementCount: 0, depth: 0), nodeCount: 0,
      nodeBytes: 0, bytesPerItem: nil, sections: [])
    if try reader.variant(named: row.name, of: state.row) != nil {
      inspection.secondsSinceCreation = try secondsSinceCreation(of: row, reader)
      inspection.secondsSinceUse = try secondsSinceUse(of: row, in: state.row, reader)
    } else if try row.responsiveConfiguration(path: path) != nil {
      inspection.pendingRevisions = 0
    }
    guard let result = row.result else { return inspection }
    let itemCount = state.trees.items.count
    (inspection.nodeCount, inspection.nodeBytes) = try reader.nodeBytes(in: result.space)
    inspection.bytesPerItem =
      itemCount == 0 ? nil : Double(inspection.nodeBytes) / Double(itemCount)
    guard row.hasReadableResult else { return inspection }
    let plan: LayoutPlan
    do {
      plan = try row.plan(of: result.configuration, reader, kinds: customKinds)
    } catch let error as LayoutCacheError {
      guard case .configuration = error.code else { throw error }
      // A section kind registered by another program: only its nodes can be counted.
      if let stored = try storedResults(row, of: state) {
        inspection.tree = stored.tree.inspection("results")
      }
      return inspection
    }
    // Inspects the state that a query would see, unless that requires a layout from scratch.
    var state = state
    switch try state.bring(row.name, mayLag: true, reader: reader, kinds: customKinds) {
    case .ready: break
    case .rejected(let error): throw error
    case .damaged(let detail):
      throw LayoutCacheError.damaged(state.id(ofLayout: row.name), detail)
    case .needsLayout, .behindCheckpoint:
      guard let stored = try storedResults(row, of: state) else { return inspection }
      inspection.tree = stored.tree.inspection("results")
      inspection.contentSize = plan.space.contentSize(
        mainLength: plan.measured(stored.measured).mainLength(of: stored.tree))
      return inspection
    }
    guard let layout = state.layout(named: row.name) else { return inspection }
    inspection.tree = layout.results.inspection("results")
    inspection.contentSize = layout.contentSize
    let snapshot = snapshot(layout, of: state)
    var walk = SectionWalk(snapshot, in: TreeSession(reader, keepsNodes: false))
    do {
      while inspection.sections.count < sectionLimit, let section = try walk.advance() {
        inspection.sections.append(try SectionInspection(section))
      }
    } catch {
      guard let damage = Damage(error) else { throw error }
      throw LayoutCacheError.damaged(state.id(ofLayout: row.name), damage.detail)
    }
    return inspection
  }

  private func storedResults(
    _ row: LayoutRow, of state: DatasetState
  ) throws -> (tree: SumTree<SectionResultLeaf>, measured: SupplementaryLengths)? {
    do {
      return try row.results(options.treeShapes)
    } catch let error as Damage {
      throw LayoutCacheError.damaged(state.id(ofLayout: row.name), error.detail)
    }
  }
}

extension SectionInspection {
  fileprivate init(_ section: PlacedSection) throws {
    let content = section.result.content
    self.init(
      key: section.key, itemCount: section.itemCount, treeDepth: content.kept?.treeDepth ?? 0,
      columnEnds: try section.plan.kind.placing.columnEnds(of: content))
  }
}

extension SumTree {
  /// Returns the tree's counts.
  func inspection(_ name: String) -> TreeInspection {
    TreeInspection(name: name, elementCount: count, depth: isEmpty ? 0 : height + 1)
  }
}
