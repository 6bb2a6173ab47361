package import LayoutCache
package import LayoutGeometry

/// An element queried individually, with the content offset that scrolls it to the wanted
/// position, if requested.
package struct AnchoredElementAnswer {
  package var element: ElementAnswer
  package var offset: AnchoredOffset?
  /// The range and the position of the item's section, if that scrolls independently.
  package var carousel: CarouselExtent?

  /// Queries an item's cell with its data.
  ///
  /// - Parameter distance: The wanted distance from the visible start; `nil` for no content offset.
  /// - Throws: ``LayoutCacheError`` with `noSuchKey`; else as the snapshot's queries.
  package init(forKey key: String, at distance: Length?, in snapshot: LayoutSnapshot) throws {
    guard let attributes = try snapshot.attributes(forKey: key) else {
      throw LayoutCacheError(.noSuchKey(key, dataset: snapshot.layout.dataset))
    }
    element = ElementAnswer(attributes, try snapshot.data(forKey: key))
    carousel = try snapshot.carousel(inSection: attributes.indexPath.section)
    offset = try distance.flatMap { try snapshot.contentOffset(placing: key, at: $0) }
  }

  /// The fields of the answer. JSON reports whether the content ends before the element can be
  /// at the wanted position.
  package static var fields: [AnswerField<Self>] {
    ElementAnswer.fieldsInDetail.map { $0.of(\.element) } + [
      .optional("contentOffset", as: .text("content offset"), \.offset?.contentOffset),
      .optional("exact", \.offset?.exact),
      .optional("carousel", as: .text("carousel"), \.carousel),
    ]
  }
}

extension AnchoredOffset {
  /// The JSON value: `false` if the content ends before the element can be at the wanted position.
  package var exact: Bool? { isExact ? nil : false }
}
