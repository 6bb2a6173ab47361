package import LayoutCache

/// An element, and what its item carries where that was asked for.
package struct ElementAnswer {
  package var attributes: LayoutAttributes
  package var data: ItemData?

  package init(_ attributes: LayoutAttributes, _ data: ItemData?) {
    self.attributes = attributes
    self.data = data
  }

  /// The fields of an element.
  package static var fields: [AnswerField<Self>] { fields(LayoutAttributes.fields) }

  /// The fields of an element that is asked for alone.
  package static var fieldsInDetail: [AnswerField<Self>] {
    fields(LayoutAttributes.fieldsInDetail)
  }

  private static func fields(_ fields: [AnswerField<LayoutAttributes>]) -> [AnswerField<Self>] {
    fields.map { $0.of(\.attributes) } + [.optional("data", as: .text("data"), \.data)]
  }
}

extension ElementsPage {
  /// The elements, with what their items carry where that was asked for.
  package func elements(with data: ElementsData?) -> [ElementAnswer] {
    elements.enumerated().map { ElementAnswer($1, data?.data[$0]) }
  }
}
