import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// The elements of a query in a binary form, at most about a third as long as JSON, for clients
/// that query every frame. `docs/FORMAT.md` describes the format.
enum BinaryAnswer {
  static let type = "application/vnd.layoutcache.elements"

  private static let magic = Array("LCE1".utf8)

  private struct Parts: OptionSet {
    let rawValue: UInt8

    static let zIndex = Parts(rawValue: 1 << 2)
    static let alpha = Parts(rawValue: 1 << 3)
    static let hidden = Parts(rawValue: 1 << 4)
    static let transform = Parts(rawValue: 1 << 5)
    static let data = Parts(rawValue: 1 << 6)
    /// An element of a custom kind, with an item in its index path.
    static let own = Parts(rawValue: 1 << 7)
  }

  /// Returns the answer to queries, like that in JSON.
  static func bytes(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], of queries: [ElementsQuery],
    withData: Bool, bytesMax: Int
  ) throws -> [UInt8] {
    var writer = BinaryWriter()
    for byte in magic { writer.write(byte: byte) }
    writer.write(snapshot.revision)
    writer.write(snapshot.incarnation.rawValue)
    writer.write(snapshot.contentSize.width)
    writer.write(snapshot.contentSize.height)
    writer.write(pages.count)
    for (index, page) in pages.enumerated() {
      let end = bytesMax - (pages.count - index) * QueryAnswer.pageEndBytes - writer.bytes.count
      // Sections come in order, so each key is listed once.
      var (sections, elements) = (BinaryWriter(), BinaryWriter())
      var (sectionCount, elementCount, lastSection) = (0, 0, -1)
      let next = try snapshot.write(page, of: queries[index], withData: withData) { part, data in
        for (index, element) in part.enumerated() {
          if element.indexPath.section != lastSection {
            lastSection = element.indexPath.section
            sectionCount += 1
            sections.write(lastSection)
            sections.write(element.sectionKey)
          }
          write(element, data?.data[index], to: &elements)
          elementCount += 1
          if sections.bytes.count + elements.bytes.count > end { return index + 1 }
        }
        return part.count
      }
      writer.write(next?.token ?? "")
      writer.write(sectionCount)
      writer.append(sections)
      writer.write(elementCount)
      writer.append(elements)
    }
    return writer.bytes
  }

  private static func write(
    _ element: LayoutAttributes, _ data: ItemData?, to writer: inout BinaryWriter
  ) {
    let category: UInt8
    let name: String
    switch element.category {
    case .cell(let key): (category, name) = (0, key)
    case .supplementary(.header): (category, name) = (1, "")
    case .supplementary(.footer): (category, name) = (2, "")
    case .supplementary(let kind): (category, name) = (2, kind.rawValue)
    case .decoration(let kind): (category, name) = (3, kind)
    @unknown default: (category, name) = (3, element.representedElementKind ?? "")
    }
    var parts: Parts = []
    if element.zIndex != 0 { parts.insert(.zIndex) }
    if element.alpha != 1 { parts.insert(.alpha) }
    if element.isHidden { parts.insert(.hidden) }
    if !element.transform3D.isIdentity { parts.insert(.transform) }
    if data != nil { parts.insert(.data) }
    if category != 0 && element.indexPath.item != nil { parts.insert(.own) }
    writer.write(byte: category | parts.rawValue)
    writer.write(element.indexPath.section)
    let isOwn = parts.contains(.own)
    if category == 0 || isOwn { writer.write(element.indexPath.item ?? 0) }
    if category == 0 || category == 3 || isOwn { writer.write(name) }
    let frame = element.frame
    writer.write(frame.minX)
    writer.write(frame.minY)
    writer.write(frame.size.width)
    writer.write(frame.size.height)
    if parts.contains(.zIndex) { writer.write(signed: Int64(element.zIndex)) }
    if parts.contains(.alpha) { writer.write(element.alpha) }
    if parts.contains(.transform) {
      let t = element.transform3D
      for value in [
        t.m11, t.m12, t.m13, t.m14, t.m21, t.m22, t.m23, t.m24, t.m31, t.m32, t.m33, t.m34, t.m41,
        t.m42, t.m43, t.m44,
      ] { writer.write(value) }
    }
    if let data { writer.write(data.json) }
  }
}
