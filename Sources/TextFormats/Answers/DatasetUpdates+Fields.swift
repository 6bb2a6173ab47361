package import LayoutCache

extension DatasetUpdates {
  /// Appends the object that represents `updates`: only `everything` and `reason`, or `sections` and
  /// `items`.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    if let reason {
      json.member("everything", true)
      json.member("reason", reason.rawValue)
    } else {
      json.member("sections")
      json.value(sections, Section.fields)
      json.member("items")
      json.value(items, Item.fields)
    }
    json.endObject()
  }
}

extension DatasetUpdates.Section {
  /// The fields of an inserted, deleted, moved or restyled section.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("op", as: "section", \.operation.rawValue), AnswerField("key", \.key),
      .optional("before", as: .number("before"), \.before),
      .optional("after", as: .number("after"), \.after),
    ]
  }
}

extension DatasetUpdates.Item {
  /// The fields of an item.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("op", as: "item", \.operation.rawValue), AnswerField("key", \.key),
      .optional("before", as: .text("before"), \.before?.numbers),
      .optional("after", as: .text("after"), \.after?.numbers),
    ]
  }
}
