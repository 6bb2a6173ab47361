import CollectionLayout
import LayoutGeometry
import SumTree

/// The stored result of a section of any kind; empty without items.
struct SectionContent: Sendable {
  private(set) var kept: (any StoredSection)?

  /// The content of a section without items.
  static let none = SectionContent(kept: nil)

  private init(kept: (any StoredSection)?) { self.kept = kept }

  init(_ kept: some StoredSection) { self.kept = kept.itemCount == 0 ? nil : kept }

  /// The number of placed items.
  var itemCount: Int { kept?.itemCount ?? 0 }

  /// As ``StoredSection/reach``.
  var reach: Length { kept?.reach ?? .zero }

  /// Returns the content without in-memory nodes, except unsaved ones.
  func unloaded() -> SectionContent { SectionContent(kept: kept?.unloaded()) }

  /// Returns a copy of the content with separate nodes.
  func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> SectionContent {
    SectionContent(kept: try kept?.copied(into: sink, shapes, in: session))
  }

  // tag   u8: 0 without items
  // kept  the section in the encoding of its kind

  func encode(into writer: inout ByteWriter) {
    guard let kept else { return writer.writeUInt8(0) }
    writer.writeUInt8(type(of: kept).tag)
    kept.encode(into: &writer)
  }

  /// - Parameter kinds: The allowed types of stored sections.
  init(from reader: inout ByteReader, kinds: [any StoredSection.Type]) throws(ByteError) {
    let tag = try reader.readUInt8()
    if tag == 0 { return }
    guard let kind = kinds.first(where: { $0.tag == tag }) else {
      throw reader.malformed("section kind")
    }
    kept = try kind.init(from: &reader)
  }
}

// Operations of a plan on a content. Only ``kept(of:_:)`` checks that both are of the same kind.
extension SectionPlacing {
  /// Returns the stored result as a value of this kind.
  ///
  /// - Throws: ``Damage`` if it is not of this kind, or does not fit the plan.
  func kept(of content: SectionContent, _ shapes: TreeShapes) throws -> Kept {
    guard let any = content.kept else { return keptOfNoItems(shapes) }
    guard let kept = any as? Kept else {
      throw Damage(detail: "a section's kind differs from its configuration")
    }
    guard fits(kept) else { throw Damage(detail: "it has more columns than its configuration") }
    return kept
  }

  /// Returns the stored section for an edit, after checking it against the limits: if it exceeds
  /// them afterwards, the edit is the cause.
  func editable(_ content: SectionContent, _ shapes: TreeShapes) throws -> Kept {
    let kept = try kept(of: content, shapes).shaped(shapes)
    do {
      let length = try contentLength(of: kept)
      if (.zero...Limits.contentLengthMax).contains(length) { return kept }
    } catch is LimitError {}
    throw Damage(detail: "the content of a section exceeds the length limit")
  }

  /// Places all items.
  ///
  /// - Returns: The stored section, and the content's length.
  /// - Throws: As ``layOut(_:into:work:)``.
  func laidOut(
    _ items: SectionItems, into sink: (any NodeSink)?, work: inout LayoutWork
  ) throws -> (content: SectionContent, length: Length) {
    try items.naming {
      let kept = try layOut(items, into: sink, work: &work)
      return (SectionContent(kept), try contentLength(of: kept))
    }
  }

  /// Returns the content's length without items.
  ///
  /// - Throws: `LimitError` if it is too long.
  func contentLengthOfNoItems(_ shapes: TreeShapes) throws -> Length {
    try contentLength(of: keptOfNoItems(shapes))
  }

  /// Returns the items of a content for queries.
  func placed(_ content: SectionContent, _ shapes: TreeShapes) throws -> any PlacedItems {
    StoredItems(placing: self, kept: try kept(of: content, shapes))
  }

  /// As ``columnEnds(of:)``.
  func columnEnds(of content: SectionContent) throws -> [Length] {
    try columnEnds(of: kept(of: content, .standard))
  }

  /// As ``scrollLength(of:)``.
  func scrollLength(of content: SectionContent) throws -> Length? {
    try scrollLength(of: kept(of: content, .standard))
  }

  /// As ``isOverdue(_:)``.
  func isOverdue(_ content: SectionContent) throws -> Bool {
    try isOverdue(kept(of: content, .standard))
  }

  /// As ``nextRebalanced(_:)``.
  func nextRebalanced(_ content: SectionContent) throws -> Int? {
    try nextRebalanced(kept(of: content, .standard))
  }

  /// Returns the first difference between a content with its length and the items placed from
  /// scratch; `nil` if there is none.
  func difference(
    of content: SectionContent, length: Length, _ items: SectionItems
  ) throws -> String? {
    guard content.itemCount == items.count else {
      return "\(content.itemCount) items are placed instead of \(items.count)"
    }
    let kept: Kept
    do {
      kept = try self.kept(of: content, items.shapes)
    } catch let error as Damage {
      return error.detail
    }
    if let difference = try items.naming({ try difference(of: kept, items) }) {
      return difference
    }
    let expected = try contentLength(of: kept)
    return length == expected ? nil : "its content has length \(length) instead of \(expected)"
  }
}

extension ReplacingPlacing {
  /// Updates a content after changes of the items; see ``follow(_:_:_:)``.
  ///
  /// - Returns: The effect, and the content's length.
  func follow(
    _ changes: ItemHunks, _ content: inout SectionContent, _ items: SectionItems
  ) throws -> (change: PlacementChange, length: Length) {
    var kept = try editable(content, items.shapes)
    let change = try items.naming { try follow(changes, &kept, items) }
    content = SectionContent(kept)
    return (change, try contentLength(of: kept))
  }
}

extension SectionItems {
  /// Adds the item's key to the error if `body` cannot place an item.
  ///
  func naming<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch var refusal as LayoutRefusal {
      refusal.key = try refusal.key ?? refusal.index.map(key(at:))
      throw refusal
    }
  }
}

/// A reader of the history of a layout, which is not derivable from the items: the sections
/// with chosen columns, in order.
struct HistorySource {
  /// Advances to the next section, and returns its encoded ``RebalanceState``.
  let beginSection: () throws -> [UInt8]
  /// Returns the first column of the section's next item.
  let nextColumn: () throws -> Int
}
