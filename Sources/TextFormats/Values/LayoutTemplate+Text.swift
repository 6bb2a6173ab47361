package import LayoutCache

extension LayoutTemplate {
  /// Reads the body of a request that sets a template: an object with `datasets`, `layout`, and
  /// perhaps `name`, that of the layout in the datasets, which is by default the template's.
  ///
  /// - Parameter text: Strict JSON (RFC 8259).
  /// - Throws: ``RecordProblem``, whose line is 1; `ConfigurationError`.
  package init(_ name: String, json text: String) throws {
    self = try BatchObject.reading(text) { body in
      try body.requireMembers(["datasets", "name", "layout"], of: "a template")
      return LayoutTemplate(
        name, datasets: try body.string("datasets"),
        layout: body.has("name") ? try body.string("name") : name,
        configuration: try ConfigurationText.decode(body.object("layout")))
    }
  }
}

/// A template, with its configuration as it is stored.
package struct TemplateListing {
  private let template: LayoutTemplate
  private let configuration: JSONText

  package init(_ template: LayoutTemplate) throws {
    self.template = template
    configuration = JSONText(json: try ConfigurationText.encode(template.configuration))
  }

  package var name: String { template.name }

  /// The bytes of the configuration in JSON.
  package var configurationBytes: Int { configuration.json.utf8.count }

  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("template", \.template.name), AnswerField("datasets", \.template.datasets),
      AnswerField("name", as: "layout", \.template.layout),
      .json("layout", \.configuration),
      .table(.text("kind")) { $0.template.configuration.kindNames.joined(separator: ", ") },
    ]
  }
}
