import CollectionLayout
import LayoutGeometry
import SumTree

/// What is kept of a section's placed items, by the way that its kind places them.
enum SectionContent: Sendable {
  /// Nothing but their number: places follow from the index, or there are no items.
  case computed(count: Int)
  /// - settledSkew: How far the columns differed at the end of the section's last
  ///   placement from some item on, in units, if that was more than a section may
  ///   differ; otherwise 0. What a placement cannot even out is not tried again and
  ///   again.
  case waterfall(SumTree<WaterfallLeaf>, settledSkew: Int64 = 0)
  case lines(SumTree<LineLeaf>)
  case custom(SumTree<CustomLeaf>)

  static let empty = SectionContent.computed(count: 0)

  var itemCount: Int {
    switch self {
    case .computed(let count): count
    case .waterfall(let tree, _): tree.count
    case .lines(let tree): tree.summary.itemCount
    case .custom(let tree): tree.count
    }
  }

  /// The waterfall's items; `nil` for the content of another kind.
  var waterfall: SumTree<WaterfallLeaf>? {
    if itemCount == 0 { return SumTree(shape: TreeShapes.waterfall) }
    guard case .waterfall(let tree, _) = self else { return nil }
    return tree
  }

  /// The lines; `nil` for the content of another kind.
  var lines: SumTree<LineLeaf>? {
    if itemCount == 0 { return SumTree(shape: TreeShapes.lines) }
    guard case .lines(let tree) = self else { return nil }
    return tree
  }

  /// The items of a custom section; `nil` for the content of another kind.
  var custom: SumTree<CustomLeaf>? {
    if itemCount == 0 { return SumTree(shape: TreeShapes.custom) }
    guard case .custom(let tree) = self else { return nil }
    return tree
  }

  /// The levels of the tree; 0 where nothing is kept.
  var treeDepth: Int {
    switch self {
    case .computed: 0
    case .waterfall(let tree, _): tree.inspection("").depth
    case .lines(let tree): tree.inspection("").depth
    case .custom(let tree): tree.inspection("").depth
    }
  }

  /// Writes the nodes that are only in memory.
  func store(into sink: any NodeSink) throws {
    switch self {
    case .computed: break
    case .waterfall(let tree, _): if tree.isDirty { try tree.store(into: sink).publish() }
    case .lines(let tree): if tree.isDirty { try tree.store(into: sink).publish() }
    case .custom(let tree): if tree.isDirty { try tree.store(into: sink).publish() }
    }
  }

  /// The content with no nodes in memory but those that the file lacks.
  func unloaded() -> SectionContent {
    switch self {
    case .computed: self
    case .waterfall(let tree, let skew): .waterfall(tree.unloaded(), settledSkew: skew)
    case .lines(let tree): .lines(tree.unloaded())
    case .custom(let tree): .custom(tree.unloaded())
    }
  }
}

/// What edits did to the nodes of a layout's trees since they were last stored: one
/// account for each kind of leaf.
struct LayoutEdits: Sendable {
  var sections = TreeEdits()
  /// Of all sections' own trees.
  var waterfalls = TreeEdits()
  var lines = TreeEdits()
  var custom = TreeEdits()

  var createdNodes: Int {
    sections.createdNodes + waterfalls.createdNodes + lines.createdNodes + custom.createdNodes
  }

  /// Notes that a section's content is removed, without reading it.
  mutating func drop(_ content: SectionContent) {
    switch content {
    case .computed: break
    case .waterfall(let tree, _): waterfalls.drop(tree)
    case .lines(let tree): lines.drop(tree)
    case .custom(let tree): custom.drop(tree)
    }
  }
}

extension SectionContent {
  // kind    u8: 0 no items, 1 waterfall, 2 computed, 3 lines, 4 custom
  // count   varint, at least 1, where kind is 2
  // root    the stored root of the section's tree, where kind is 1, 3 or 4
  // skew    varint, units: the settled skew, where kind is 1

  func encode(into writer: inout ByteWriter) {
    switch self {
    case _ where itemCount == 0: writer.writeUInt8(0)
    case .waterfall(let tree, let settledSkew):
      writer.writeUInt8(1)
      Self.encode(tree, into: &writer)
      writer.writeVarint(UInt64(settledSkew))
    case .computed(let count):
      writer.writeUInt8(2)
      writer.writeCount(count)
    case .lines(let tree):
      writer.writeUInt8(3)
      Self.encode(tree, into: &writer)
    case .custom(let tree):
      writer.writeUInt8(4)
      Self.encode(tree, into: &writer)
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    switch try reader.readUInt8() {
    case 0: self = .empty
    case 1:
      let tree = try Self.tree(TreeShapes.waterfall, WaterfallLeaf.self, from: &reader)
      let skew = try reader.readCount(limit: WaterfallLeaf.advanceMax)
      self = .waterfall(tree, settledSkew: Int64(skew))
    case 2:
      let count = try reader.readCount(limit: Limits.itemsMax)
      guard count > 0 else { throw reader.malformed("section count") }
      self = .computed(count: count)
    case 3: self = .lines(try Self.tree(TreeShapes.lines, LineLeaf.self, from: &reader))
    case 4: self = .custom(try Self.tree(TreeShapes.custom, CustomLeaf.self, from: &reader))
    default: throw reader.malformed("section kind")
    }
  }

  private static func encode<Leaf>(_ tree: SumTree<Leaf>, into writer: inout ByteWriter) {
    guard let root = tree.storedRoot else {
      preconditionFailure("a section's tree is stored before the section")
    }
    root.encode(into: &writer)
  }

  private static func tree<Leaf: TreeLeaf>(
    _ shape: TreeShape, _: Leaf.Type, from reader: inout ByteReader
  ) throws(ByteError) -> SumTree<Leaf> {
    SumTree(shape: shape, storedRoot: try StoredRoot<Leaf.LeafSummary>(from: &reader))
  }
}
