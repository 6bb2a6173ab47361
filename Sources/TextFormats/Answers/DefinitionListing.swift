package import LayoutCache

/// An entry of a layout's history, with its configuration as printed.
package struct DefinitionListing {
  private let definition: LayoutDefinition
  private let configuration: String

  package init(_ definition: LayoutDefinition) throws {
    self.definition = definition
    configuration = try ConfigurationText.encode(definition.configuration)
  }

  /// An upper bound of the bytes of the entry in JSON.
  package var byteCount: Int { configuration.utf8.count + 2048 }

  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("at") {
        timeText(millisecondsSince1970: $0.definition.millisecondsSince1970)
      },
      .optional("who", as: .text("who"), \.definition.who),
      .json("configuration") { JSONText(json: $0.configuration) },
      .table(.text("configuration"), \.configuration),
    ]
  }
}
