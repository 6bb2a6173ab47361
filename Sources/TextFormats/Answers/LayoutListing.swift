package import LayoutCache

/// A layout, with its configuration as printed.
package struct LayoutListing {
  private let layout: LayoutDescription
  private let configuration: JSONText
  /// The warnings about a configuration that has just been set.
  private let warnings: [String]

  package init(_ layout: LayoutDescription, warnings: [String] = []) throws {
    self.layout = layout
    self.warnings = warnings
    configuration = JSONText(json: try ConfigurationText.encode(layout.configuration))
  }

  package static var fields: [AnswerField<Self>] {
    [
      .json("configuration", \.configuration),
      AnswerField("layout", \.layout.name),
      .table(.text("kind")) { $0.layout.configuration.kindNames.joined(separator: ", ") },
      .table(.number("width")) { $0.layout.configuration.container.width.text },
      .table(.number("height")) { $0.layout.configuration.container.height.text },
      .table(.text("scrolls")) { $0.layout.configuration.scrollDirection.rawValue },
      AnswerField(
        "preparedRevision", as: "prepared at", \.layout.preparedRevision,
        shown: { $0.layout.preparedRevision.preparedText }),
      .optional("warnings") { $0.warnings.isEmpty ? nil : $0.warnings },
    ]
  }
}

extension LayoutConfiguration {
  /// The kinds of sections, the default first.
  fileprivate var kindNames: [String] {
    let name = (section.kind ?? SectionOptions.kindDefault).name
    let overrides = Array(styles.values) + sections.values
    return [name] + Set(overrides.compactMap(\.kind?.name)).subtracting([name]).sorted()
  }
}

extension Int? {
  /// The revision at which a layout was last brought up to date, in words.
  package var preparedText: String { map { "revision \($0)" } ?? "never" }
}
