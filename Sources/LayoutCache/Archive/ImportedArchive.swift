import LayoutStore
import SumTree

/// An archive of sections and items alone, which an import has given out, built in a space that
/// nobody sees.
struct ImportedArchive {
  let trees: DatasetTrees
  /// The space of the trees.
  let filler: SpaceFiller

  /// - Parameters:
  ///   - spaces: What is filled; the caller gives it back where anything throws.
  ///   - digest: What the archive's must be.
  ///   - next: The archive's next chunk; `nil` after the last.
  /// - Throws: ``ArchiveError``; what writing and `next` throw.
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
      throw ArchiveError(.malformed("it is another one than the entry names"))
    }
  }
}
