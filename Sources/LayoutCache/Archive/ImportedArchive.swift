import LayoutStore
import SumTree

/// An archive of only sections and items, produced by an import and built in an unpublished
/// space.
struct ImportedArchive {
  let trees: DatasetTrees
  /// The space of the trees.
  let filler: SpaceFiller

  /// - Parameters:
  ///   - spaces: The spaces to fill; the caller reclaims them if anything throws.
  ///   - digest: The required digest of the archive.
  ///   - next: Returns the archive's next chunk; `nil` after the last.
  /// - Throws: ``ArchiveError``; the errors of writing and of `next`.
  init(
    into spaces: ArchiveSpaces, of store: Store, _ shapes: TreeShapes, sortBytesMax: Int,
    digest: [UInt8], next: @escaping () throws -> [UInt8]?
  ) throws {
    let reader = try ArchiveReader {
      try spaces.touchIfDue()
      return try next()
    }
    let head = try reader.read(.head) { try ArchiveHead(from: &$0, hasHistories: false) }
    filler = try spaces.makeFiller()
    trees = try reader.readTrees(
      head, into: filler, of: store, shapes, sortBytesMax: sortBytesMax)
    guard try reader.finish() == digest else {
      throw ArchiveError(.malformed("its digest differs from the log entry's"))
    }
  }
}
