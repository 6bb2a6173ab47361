package import LayoutCache

/// An element, with its item's data if requested.
package struct ElementAnswer {
  package var attributes: LayoutAttributes
  package var data: ItemData?

  package init(_ attributes: LayoutAttributes, _ data: ItemData?) {
    (self.attributes, self.data) = (attributes, data)
  }

  package static var fields: [AnswerField<Self>] { fields(LayoutAttributes.fields) }

  /// The fields of an element queried individually.
  package static var fieldsInDetail: [AnswerField<Self>] { fields(LayoutAttributes.fieldsInDetail) }

  private static func fields(_ fields: [AnswerField<LayoutAttributes>]) -> [AnswerField<Self>] {
    fields.map { $0.of(\.attributes) } + [.optional("data", as: .text("data"), \.data)]
  }
}

extension ElementsPage {
  /// Returns the elements, with their items' data if requested.
  package func elements(with data: ElementsData?) -> [ElementAnswer] {
    elements.enumerated().map { ElementAnswer($1, data?.data[$0]) }
  }
}
