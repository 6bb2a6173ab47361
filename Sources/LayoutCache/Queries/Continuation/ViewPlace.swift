import LayoutGeometry
import SumTree

/// The place of an item of a view, which exists whether or not the item is still in the view.
enum ViewPlace: Hashable, Sendable {
  /// In the dataset, for a view in its order.
  case dataset(section: Int, item: Int)
  /// In another order, by the item's rank.
  case rank(prefix: UInt64, bytes: [UInt8])

  /// The maximum length of a rank in a token, in bytes.
  static let rankBytesMax = 4096

  static func encode(_ place: ViewPlace?, into writer: inout ByteWriter) {
    switch place {
    case nil: writer.writeUInt8(0)
    case .dataset(let section, let item):
      writer.writeUInt8(1)
      writer.writeCount(section)
      writer.writeCount(item)
    case .rank(let prefix, let bytes):
      writer.writeUInt8(2)
      writer.writeVarint(prefix)
      writer.writeCounted(bytes)
    }
  }

  static func read(from reader: inout ByteReader) throws(ByteError) -> ViewPlace? {
    switch try reader.readUInt8() {
    case 0: return nil
    case 1:
      let section = try reader.readCount(limit: Limits.sectionsMax)
      return .dataset(section: section, item: try reader.readCount(limit: Limits.itemsMax))
    case 2:
      let prefix = try reader.readVarint()
      return .rank(prefix: prefix, bytes: try reader.readCounted(limit: rankBytesMax))
    default: throw reader.malformed("place in a view")
    }
  }
}
