package import LayoutCache

extension DatasetDescription {
  /// The fields of a dataset in a list.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("dataset", \.name), AnswerField("revision", \.revision),
      .json("incarnation", \.incarnation.rawValue),
      AnswerField("sections", \.sectionCount), AnswerField("items", \.itemCount),
      .optional("order", \.order?.members), .optional("sectionsBy", \.order?.sections),
      AnswerField("layouts", \.layouts), .rows("marks", Mark.fields, \.marks),
    ]
  }
}

extension DatasetDescription.Mark {
  /// The JSON of a source's mark.
  fileprivate static var fields: [AnswerField<Self>] {
    [.json("source", \.source), .json("position", \.position), .json("revision", \.revision)]
  }
}

/// In JSON as in a list of datasets; tables show the source and its position.
extension DatasetDescription.Mark: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { "\(source) \(position)" }
  package func write(to json: inout JSONWriter) { json.value(self, Self.fields) }
}
