import LayoutStore
import SumTree

// Imports into datasets that a shared log decides on. Few items are put in place as a batch. All
// else is built here first, where nobody sees it, and given out as an image; then one small entry
// names that. No room is entered and no lock is held before.

extension LayoutCache {
  /// What has been built and given out, and is still to be named by an entry.
  private struct StagedImport {
    var built: Built
    /// Where the dataset was that it is built on; `nil` where that is no matter.
    var base: SharedPosition?
    /// `nil` where the dataset would stay as it is.
    var image: SharedImage?
  }

  /// Puts the items in place that an importer has taken, as where nothing is shared.
  ///
  /// - Returns: `nil` where the dataset has changed while its trees were built.
  func take(
    _ importer: inout Importer, into name: String, _ mode: ImportMode, by log: any SharedLog
  ) throws -> ImportSummary? {
    do {
      guard try log.hasDataset(name) else {
        return try build(name, from: &importer, isReplacement: true, by: log) { image, _ in
          try requireRoom(for: name)
          return try log.createDataset(name, of: image) ? 1 : nil
        }
      }
      switch mode {
      case .create: throw LayoutCacheError(.datasetExists(name))
      case .replace: return try change(name, by: &importer, isReplacement: true, log)
      case .match:
        try log.bringHere(name)
        if let summary = try match(&importer, name) { return summary.value }
        return try change(name, by: &importer, isReplacement: false, log)
      case .append:
        try log.bringHere(name)
        guard let count = try itemCount(of: name) else { return nil }
        guard let batch = importer.asBatch(for: count) else {
          return try change(name, by: &importer, isReplacement: false, log)
        }
        let outcome = try log.commit(SharedChange(.append(batch)), to: name, BatchView())
        return batch.summary(at: outcome.revision)
      }
    } catch let error as LayoutCacheError {
      switch error.code {
      // The caller expects it.
      case .revisionMismatch where importer.expected != nil: throw error
      // It was removed meanwhile, or is no longer what the items were added to.
      case .noSuchDataset, .changedMeanwhile, .revisionMismatch: return nil
      default: throw error
      }
    }
  }

  private func change(
    _ name: String, by importer: inout Importer, isReplacement: Bool, _ log: any SharedLog
  ) throws -> ImportSummary? {
    try build(name, from: &importer, isReplacement: isReplacement, by: log) { image, base in
      let change = SharedChange(.image(image, behind: base))
      return try log.commit(change, to: name, BatchView()).revision
    }
  }

  /// Builds a dataset, gives its image out, and lets go of that where it is not named.
  ///
  /// - Parameter propose: Has an entry name the image; returns the revision behind it.
  private func build(
    _ name: String, from importer: inout Importer, isReplacement: Bool, by log: any SharedLog,
    _ propose: (SharedImage, SharedPosition?) throws -> Int?
  ) throws -> ImportSummary? {
    let staged = try stage(name, from: &importer, isReplacement: isReplacement, by: log)
    guard let image = staged.image else {
      // That nothing is to be done holds where the log has gone no further.
      let nothing = SharedChange(.batch([]), expected: staged.built.unchanged?.revision)
      let outcome = try log.commit(nothing, to: name, BatchView())
      return staged.built.summary(at: outcome.revision)
    }
    let revision: Int?
    do {
      revision = try propose(image, staged.base)
    } catch {
      log.dropImage(image.number)
      throw error
    }
    if revision == nil { log.dropImage(image.number) }
    return revision.map { staged.built.summary(at: $0) }
  }

  private func stage(
    _ name: String, from importer: inout Importer, isReplacement: Bool, by log: any SharedLog
  ) throws -> StagedImport {
    let spaces = ImageSpaces(store, now: clock.now)
    // Whoever carries the entry out builds it of the image. What fails here is done in time by
    // others.
    defer {
      try? spaces.giveBack()
      try? reclaim()
    }
    let filler = try spaces.makeFiller()
    var staged: StagedImport
    if isReplacement {
      let built = try trees(from: &importer, on: .replaced, into: filler)
      staged = StagedImport(built: built)
    } else {
      // The base's nodes are there as long as it is read.
      staged = try store.read { reader in
        let state = try current(name, reader: reader)
        try state.require(revision: importer.expected)
        guard let replica = try reader.replica(of: state.row.id) else {
          throw LayoutCacheError(.noSuchDataset(name))
        }
        let built = try trees(from: &importer, on: .kept(state, reader), into: filler)
        return StagedImport(built: built, base: SharedPosition(replica))
      }
      if staged.built.unchanged != nil { return staged }
    }
    let (watch, count) = (importer.items.watch, importer.items.count)
    var digest: [UInt8] = []
    let number = try log.keepImage(for: name) { chunk in
      digest = try export(staged.built.trees) {
        try spaces.touchIfDue()
        try chunk($0)
        try watch(count, count)
      }
    }
    staged.image = SharedImage(number: number, isReplacement: isReplacement, digest: digest)
    return staged
  }

  /// Gives out sections and items alone.
  ///
  /// - Returns: The digest.
  private func export(
    _ trees: DatasetTrees, chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> [UInt8] {
    var writer = try ImageWriter(chunkBytes: options.imageChunkBytes, chunk: chunk)
    let head = ImageHead(ofItems: trees)
    try writer.write(.head) { head.encode(into: &$0) }
    try writer.write(trees, in: TreeSession(PooledNodes(store: store), keepsNodes: false))
    return try writer.finish().digest
  }
}
