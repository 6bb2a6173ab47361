import CollectionLayout
import LayoutGeometry
package import LayoutStore
import SumTree

// Archives of datasets, by which nodes that share a log transfer them. `ArchiveRecord`
// describes the contents.

extension LayoutCache {
  /// Exports a dataset as bytes: its items, its marks and requests, its layouts, and the
  /// layouts' columns that do not follow from the items.
  ///
  /// The bytes are the same for every file with the same history: two nodes at the same
  /// position of a log have archives with the same digest. A layout with a history that is
  /// behind the dataset is first brought up to date, in memory; of a layout that must be laid
  /// out from scratch, or can't follow, only the name and the configuration are exported.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - withIncarnation: Whether the archive contains the dataset's incarnation, or 0.
  ///   - willBegin: Called first, with the state of the file that the archive contains.
  ///   - chunk: Receives the archive in chunks, each of 256 KiB except the last. An error that
  ///     it throws ends the export.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`; `database` if the dataset, or a layout
  ///   with a history, is damaged; `configuration` if this process does not know its kind.
  /// - Complexity: O(items · layouts with a history), in constant memory except for bringing
  ///   layouts up to date, and the archive's size in a temporary file.
  package func exportArchive(
    of dataset: String, withIncarnation: Bool = true,
    willBegin: (StoreReader, DatasetRow) throws -> Void = { _, _ in },
    chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> ArchiveSummary {
    try call { _ in
      // The receiver may be slow, and must not hold the transaction open.
      let chunks = try ScratchTable()
      var count = 0
      let summary = try store.read { reader in
        let state = try current(dataset, reader: reader)
        try willBegin(reader, state.row)
        var export = try ArchiveExport(
          of: state, reader, kinds: customKinds, chunkBytes: options.archiveChunkBytes,
          withIncarnation: withIncarnation
        ) { bytes in
          var payload = ByteWriter()
          payload.writeBytes(bytes)
          try chunks.insert(major: 0, minor: count, payload)
          count += 1
        }
        return try export.run()
      }
      try chunks.forEach(major: 0) { try chunk($0.readBytes(count: $0.remaining)) }
      return summary
    }
  }

  /// Creates a dataset from an archive, atomically: if anything fails, or the process is
  /// killed, the dataset does not appear.
  ///
  /// It has the incarnation and the revision in the archive, and its log begins there: the
  /// newest commit can't be reverted. Layouts have the IDs in the archive, which are unique
  /// among the nodes that share a log: a layout created here must not get one of theirs.
  /// Layouts with a history have the columns in the archive; all others are laid out on demand.
  ///
  /// It is built in short transactions in unpublished spaces, and published in one transaction.
  ///
  /// - Parameters:
  ///   - name: The dataset's name, which may differ from the original one.
  ///   - replacing: Whether a dataset of the name may exist: nothing of it is retained.
  ///   - next: Returns the next chunk, split anywhere; `nil` after the last.
  ///   - didBuild: Called in the transaction that publishes the dataset, with its row; an error
  ///     that it throws is handled like any failure.
  /// - Throws: ``ReplicationError`` for bytes that are not an archive, or one of another version;
  ///   ``LayoutCacheError``: `datasetExists`, `limit`, `configuration` for a kind of section
  ///   that this process does not know, `database`; the errors of the closures. Nothing is
  ///   changed then, and the space is reclaimed.
  /// - Complexity: O(items · layouts with a history), in constant memory except for marks and
  ///   layouts.
  @discardableResult
  package func loadArchive(
    as name: String, replacing: Bool = false, next: @escaping () throws -> [UInt8]?,
    didBuild: (StoreWriter, DatasetRow) throws -> Void = { _, _ in }
  ) throws -> ArchiveSummary {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Checked early, and again at the end: the answer may change while the bytes arrive.
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
        // The first error is reported; the space is reclaimed eventually in any case.
        try? spaces.giveBack()
        try? reclaim()
        throw error
      }
      reclaimAfterCommit()
      return summary
    }
  }
}
