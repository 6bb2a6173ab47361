package import LayoutCache

extension ItemDescription {
  /// The fields of an item without a layout.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("key", \.item.key), .json("section", \.indexPath.section),
      AnswerField("sectionKey", as: "section", \.sectionKey),
      .optional("item", as: .number("item"), \.indexPath.item),
      AnswerField("width", \.item.size.width), AnswerField("height", \.item.size.height),
      AnswerField("span", \.item.columnSpan),
      .optional("hidden") { $0.item.visibility.ifNotShown },
      .optional("data", as: .text("data"), \.item.data), AnswerField("revision", \.revision),
    ]
  }
}
