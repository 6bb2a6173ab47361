import LayoutStore
import SumTree

/// An image of sections and items alone, which an import has given out, built in a space that
/// nobody sees.
struct ImportedImage {
  let trees: DatasetTrees
  /// What the trees are in.
  let filler: SpaceFiller

  /// - Parameters:
  ///   - spaces: What is filled; the caller gives it back where anything throws.
  ///   - digest: What the image's must be.
  ///   - next: The image's next chunk; `nil` behind the last.
  /// - Throws: ``ImageError``; what writing and `next` throw.
  init(
    into spaces: ImageSpaces, of store: Store, _ shapes: TreeShapes, sortBytesMax: Int,
    digest: [UInt8], next: @escaping () throws -> [UInt8]?
  ) throws {
    let reader = try ImageReader {
      try spaces.touchIfDue()
      return try next()
    }
    let head = try reader.read(.head) { try ImageHead(from: &$0, hasHistories: false) }
    filler = try spaces.makeFiller()
    trees = try reader.readTrees(
      head, into: filler, of: store, shapes, sortBytesMax: sortBytesMax)
    guard try reader.finish() == digest else {
      throw ImageError(.malformed("it is another one than the entry names"))
    }
  }
}
