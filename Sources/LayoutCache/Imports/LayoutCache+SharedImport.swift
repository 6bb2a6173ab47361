import LayoutStore
import SumTree

// Imports into datasets that follow a shared log. A few items are committed as a batch. Otherwise
// the dataset is first built in unpublished space and exported as an archive; then one small
// entry names the archive. Until then no queue is entered and no lock is held.

extension LayoutCache {
  /// A dataset that was built and exported; no entry names its archive yet.
  private struct StagedImport {
    var built: Built
    /// The position of the dataset that it is built on; `nil` if the position does not matter.
    var base: SharedPosition?
    /// The layouts of the dataset that it is built on.
    var layouts: Set<Int64> = []
    /// The archive; `nil` if the import would not change the dataset.
    var archive: SharedArchive?
  }

  /// Builds a dataset, exports its archive and proposes an entry that names it. Deletes the
  /// archive if no entry does.
  ///
  /// - Returns: `nil` if the dataset has changed in the meantime.
  func build(
    _ name: String, from importer: inout Importer, _ present: PresentItems,
    by coordinator: any ChangeCoordinator
  ) throws -> ImportSummary? {
    let staged = try stage(name, from: &importer, present, by: coordinator)
    guard let archive = staged.archive else {
      // The import is a no-op only if the dataset is still at this revision.
      let nothing = ChangeRequest(.batch([]), expected: staged.built.unchanged?.revision)
      return staged.built.summary(at: try commit(nothing, to: name).revision)
    }
    let revision: Int?
    do {
      if present == .none {
        try requireRoom(for: name)
        revision = try coordinator.createDataset(name, of: archive) ? 1 : nil
      } else {
        let request = ChangeRequest(.archive(archive, after: staged.base))
        revision = try commit(request, to: name).revision
      }
    } catch {
      coordinator.dropArchive(archive.number)
      throw error
    }
    if revision == nil { coordinator.dropArchive(archive.number) }
    return revision.map { staged.built.summary(at: $0) }
  }

  private func stage(
    _ name: String, from importer: inout Importer, _ present: PresentItems,
    by coordinator: any ChangeCoordinator
  ) throws -> StagedImport {
    let spaces = ArchiveSpaces(store, now: clock.now)
    // Each node builds the dataset from the archive. If this fails, a later change releases the
    // space.
    defer {
      try? spaces.giveBack()
      try? reclaim()
    }
    let filler = try spaces.makeFiller()
    var staged: StagedImport
    if present != .kept {
      let order = present == .none ? nil : try self.present(name)?.order
      let built = try trees(from: &importer, on: .replaced(order), into: filler)
      staged = StagedImport(built: built)
    } else {
      let (state, base, layouts) = try store.read { reader in
        let state = try importBase(name, of: importer, reader)
        guard let replica = try reader.replica(of: state.row.id) else {
          throw LayoutCacheError(.noSuchDataset(name))
        }
        return (state, SharedPosition(replica), Set(try reader.layouts(of: state.row.id).map(\.id)))
      }
      let built = try whileCurrent(state) {
        try trees(from: &importer, on: .kept(state), into: filler)
      }
      guard let built else { throw LayoutCacheError(.concurrentModification(dataset: name)) }
      staged = StagedImport(built: built, base: base, layouts: layouts)
      if staged.built.unchanged != nil { return staged }
    }
    let (watch, count) = (importer.items.watch, importer.items.count)
    var digest: [UInt8] = []
    let number = try coordinator.keepArchive(for: name) { chunk in
      digest = try export(staged.built.trees, measuredIn: staged.layouts) {
        try spaces.touchIfDue()
        try chunk($0)
        try watch(count, count)
      }
    }
    staged.archive = SharedArchive(number: number, isReplacement: present != .kept, digest: digest)
    return staged
  }

  /// Exports only sections and items.
  ///
  /// - Returns: The digest.
  private func export(
    _ trees: DatasetTrees, measuredIn layouts: Set<Int64>,
    chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> [UInt8] {
    var writer = try ArchiveWriter(chunkBytes: options.archiveChunkBytes, chunk: chunk)
    let head = ArchiveHead(ofItems: trees)
    try writer.write(.head) { head.encode(into: &$0) }
    try writer.write(
      trees, measuredIn: layouts, in: TreeSession(PooledNodes(store: store), keepsNodes: false))
    return try writer.finish().digest
  }
}
