import CollectionLayout
import LayoutGeometry
package import LayoutStore
import SumTree

// Archives of datasets, by which nodes that share a log hand them on. What is in one is said
// next to `ArchiveRecord`.

extension LayoutCache {
  /// Gives out a dataset as bytes: its items, its marks and requests, its layouts, and of these
  /// the columns that do not follow from the items.
  ///
  /// The bytes are the same for every file with the same history: two nodes at one place of a
  /// log have archives of one digest. A layout with a history that is behind the dataset is
  /// caught up with first, in memory; of one that is to be laid out from scratch, or can't
  /// follow, only name and configuration are given out.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - willBegin: Called first, with the one state of the file that the archive is of.
  ///   - chunk: Takes the archive in chunks, each of 256 KiB but the last. What it throws ends
  ///     the export.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`; `database` where the dataset is damaged,
  ///   or a layout with a history; `configuration` where this process does not know its kind.
  /// - Complexity: O(items · layouts with a history), in constant memory but for catching up.
  ///   The file's log of writes can't be emptied in the meantime.
  package func exportArchive(
    of dataset: String, willBegin: (StoreReader, DatasetRow) throws -> Void = { _, _ in },
    chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> ArchiveSummary {
    try call { _ in
      try store.read { reader in
        let state = try current(dataset, reader: reader)
        try willBegin(reader, state.row)
        var export = try ArchiveExport(
          of: state, reader, kinds: customKinds, chunkBytes: options.archiveChunkBytes,
          chunk: chunk)
        return try export.run()
      }
    }
  }

  /// Makes a dataset of an archive, all or nothing: where anything fails, or the process is
  /// killed, nothing is seen of it.
  ///
  /// It has the incarnation and the revision that the archive states, and its log begins there:
  /// the newest commit can't be taken back. Layouts have the ids of the archive, which are
  /// unique among the nodes that share a log: one that is made here must not get one of theirs.
  /// Those with a history have the columns of the archive, and all others are laid out when they
  /// are asked for.
  ///
  /// It is built in short transactions in spaces that nobody sees, and published in one.
  ///
  /// - Parameters:
  ///   - name: The dataset's name, which need not be what it was.
  ///   - replacing: Whether there may be a dataset of the name: nothing is kept of it.
  ///   - next: The next chunk, cut anywhere; `nil` after the last.
  ///   - didBuild: Called in the transaction that publishes it, with its row; what it throws
  ///     is as any failure.
  /// - Throws: ``ArchiveError`` for bytes that are no archive, or one of another version;
  ///   ``LayoutCacheError``: `datasetExists`, `limit`, `configuration` for a kind of section
  ///   that this process does not know, `database`; what the closures throw. Nothing is
  ///   changed then, and the space is given back.
  /// - Complexity: O(items · layouts with a history), in constant memory but for marks and
  ///   layouts.
  @discardableResult
  package func loadArchive(
    as name: String, replacing: Bool = false, next: @escaping () throws -> [UInt8]?,
    didBuild: (StoreWriter, DatasetRow) throws -> Void = { _, _ in }
  ) throws -> ArchiveSummary {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again in the end: the answer may change while the bytes come in.
      if !replacing, try store.read({ try exists(name, $0) }) {
        throw LayoutCacheError(.datasetExists(name))
      }
      let spaces = ArchiveSpaces(store, now: clock.now)
      let summary: ArchiveSummary
      do {
        var load = try ArchiveLoad(
          as: name, into: spaces, of: store, options.treeShapes,
          sortBytesMax: options.importBytes / 2, kinds: customKinds, next: next)
        try load.build()
        try store.write { writer in
          if try writer.reader.dataset(named: name) == nil {
            try requireRoomForDataset(writer.reader)
          }
          let row = try load.publish(replacing: replacing, writer)
          try LayoutCacheError.check(
            count: try writer.reader.layoutCount(of: row.id), max: options.layoutsMax,
            as: "number of layouts")
          try didBuild(writer, row)
        } didCommit: { _ in
          drop(name)
        }
        summary = load.summary
      } catch {
        // The first error is reported; the space is given back in time in any case.
        try? spaces.giveBack()
        try? reclaim()
        throw error
      }
      reclaimAfterCommit()
      return summary
    }
  }
}
