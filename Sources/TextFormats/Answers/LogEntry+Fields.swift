package import LayoutCache

extension LogEntry {
  /// The fields of an entry of a dataset's log.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("revision", \.revision),
      AnswerField("time") { timeText(millisecondsSince1970: $0.millisecondsSince1970) },
      AnswerField("kind", \.kind.rawValue),
      AnswerField("operations", \.operationCount), AnswerField("bytes", \.byteCount),
      .optional("who", \.who), .optional("mark", as: .text("mark"), \.mark),
    ]
  }
}
