package import LayoutCache

extension DatasetDescription {
  /// What is said of a dataset in a list.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("dataset", \.name), AnswerField("revision", \.revision),
      .json("incarnation", \.incarnation),
      AnswerField("sections", \.sectionCount), AnswerField("items", \.itemCount),
      AnswerField("layouts", \.layouts),
    ]
  }
}
