import LayoutGeometry
import LayoutStore
import SumTree

extension ArchiveReader {
  /// Reads an archive's sections and items, and builds their trees in constant memory.
  ///
  /// - Parameters:
  ///   - head: The archive's head, with the numbers of sections and items.
  ///   - filler: The destination of the trees.
  ///   - sortBytesMax: The memory for sorting keys, in bytes.
  /// - Throws: ``ArchiveError``; the errors of writing and of reading chunks.
  func readTrees(
    _ head: ArchiveHead, into filler: SpaceFiller, of store: Store, _ shapes: TreeShapes,
    sortBytesMax: Int
  ) throws -> DatasetTrees {
    var builder = DatasetBuilder(
      into: filler, PooledNodes(store: store), hash: store.hash, shapes: shapes,
      sortBytesMax: sortBytesMax)
    return try refusingArchive {
      try readSections(into: &builder)
      try readItems(head.itemCount, into: &builder)
      let trees: DatasetTrees
      do {
        trees = try builder.finish()
      } catch let error as DuplicateKeysFound {
        throw ArchiveError(.malformed("it has \(error.keys.count) duplicate keys"))
      }
      guard trees.sections.count == head.sectionCount, trees.items.count == head.itemCount,
        trees.sections.summary.itemCount == head.itemCount
      else { throw ArchiveError(.malformed("its section and item counts differ from its head")) }
      return trees
    }
  }

  private func readSections(into builder: inout DatasetBuilder) throws {
    try readAll(.sections) { bytes in
      for entry in try SectionLeaf(from: &bytes).entries {
        try Limits.check(name: entry.key, as: "section key")
        if let style = entry.style { try Limits.check(name: style, as: "style name") }
        try builder.endSection(entry)
      }
    }
  }

  private func readItems(_ itemCount: Int, into builder: inout DatasetBuilder) throws {
    try readAll(.items) { bytes in
      let run = try ItemRun(withDataFrom: &bytes)
      for index in 0..<run.count {
        let keyBytes = run.items.keyBytes[run.items.keyRange(at: index)]
        guard let key = String(validating: keyBytes, as: UTF8.self) else {
          throw bytes.malformed("key")
        }
        try Limits.check(name: key, as: "key")
      }
      guard run.count <= itemCount - builder.itemCount else {
        throw bytes.malformed("count of items")
      }
      try builder.append(run)
    }
  }
}
