package import LayoutCache
package import LayoutGeometry

/// An element that is asked for alone, and the content offset at which it is where it is
/// wanted, if that was asked for.
package struct AnchoredElementAnswer {
  package var element: ElementAnswer
  package var offset: AnchoredOffset?

  /// Asks for an item's cell with its data.
  ///
  /// - Parameter distance: How far behind the start of what is visible it is wanted; `nil` where
  ///   that is not asked for.
  /// - Throws: ``LayoutCacheError`` with `noSuchKey`; else as the snapshot's queries.
  package init(forKey key: String, at distance: Length?, in snapshot: LayoutSnapshot) throws {
    guard let attributes = try snapshot.attributes(forKey: key) else {
      throw LayoutCacheError(.noSuchKey(key, dataset: snapshot.layout.dataset))
    }
    element = ElementAnswer(attributes, try snapshot.data(forKey: key))
    offset = try distance.flatMap { try snapshot.contentOffset(placing: key, at: $0) }
  }

  /// The fields of it. Programs are told where the content ends before the element could
  /// are there.
  package static var fields: [AnswerField<Self>] {
    ElementAnswer.fieldsInDetail.map { $0.of(\.element) } + [
      .optional("contentOffset", as: .text("content offset"), \.offset?.contentOffset),
      .optional("exact", \.offset?.exact),
    ]
  }
}

extension AnchoredOffset {
  /// What programs are told where the content ends before the element could be there.
  package var exact: Bool? { isExact ? nil : false }
}
