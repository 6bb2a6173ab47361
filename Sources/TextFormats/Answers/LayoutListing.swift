package import LayoutCache
import LayoutGeometry

/// A layout, with its configuration as printed; or, in tables, a variant of it.
package struct LayoutListing {
  private let layout: LayoutDescription
  private let configuration: JSONText
  private var variant: VariantDescription?
  /// The warnings about a configuration that has just been set.
  private let warnings: [String]

  package init(_ layout: LayoutDescription, warnings: [String] = []) throws {
    (self.layout, self.warnings) = (layout, warnings)
    configuration = JSONText(json: try ConfigurationText.encode(layout.configuration))
  }

  /// The bytes of the configuration in JSON.
  package var configurationBytes: Int { configuration.json.utf8.count }

  /// The rows of a table: the layout, and its variants.
  package var tableRows: [LayoutListing] {
    [self]
      + layout.variants.map { variant in
        var row = self
        row.variant = variant
        return row
      }
  }

  private var container: LayoutConfiguration.Container {
    variant?.container ?? layout.configuration.container
  }

  private var preparedText: String {
    if let variant { return variant.preparedRevision.preparedText }
    return layout.configuration.isResponsive ? "" : layout.preparedRevision.preparedText
  }

  package static var fields: [AnswerField<Self>] {
    [
      .json("configuration", \.configuration),
      AnswerField("layout", \.layout.name, shown: { $0.variant?.name ?? $0.layout.name }),
      .table(.text("kind")) { $0.layout.configuration.kindNames.joined(separator: ", ") },
      .table(.number("width")) { $0.container.text(of: \.width, \.widths) },
      .table(.number("height")) { $0.container.text(of: \.height, \.heights) },
      .table(.text("scrolls")) { $0.layout.configuration.scrollDirection.rawValue },
      AnswerField(
        "preparedRevision", as: "prepared at", \.layout.preparedRevision, shown: \.preparedText),
      .optional("template", \.layout.template),
      .optionalRows("variants", VariantDescription.fields) {
        $0.layout.configuration.isResponsive ? $0.layout.variants : nil
      },
      .optional("warnings") { $0.warnings.isEmpty ? nil : $0.warnings },
    ]
  }

  package var isOfTemplate: Bool { layout.template != nil }

  /// The column of a table with layouts that come from templates.
  package static var templateColumn: AnswerField<Self> {
    .table(.text("template")) { $0.variant == nil ? $0.layout.template ?? "" : "" }
  }

  /// The columns of a table with variants.
  package static var variantColumns: [AnswerField<Self>] {
    [
      .table(.text("created")) { ($0.variant?.secondsSinceCreation).agoText },
      .table(.text("last used")) { ($0.variant?.secondsSinceUse).agoText },
      .table(.number("bytes")) { $0.variant.map(\.nodeBytes.text) ?? "" },
    ]
  }
}

extension VariantDescription {
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.name), .optional("width", \.container.width),
      .optional("height", \.container.height), AnswerField("preparedRevision", \.preparedRevision),
      .optional("secondsSinceCreation", \.secondsSinceCreation),
      .optional("secondsSinceUse", \.secondsSinceUse), AnswerField("bytes", \.nodeBytes),
    ]
  }
}

extension Double? {
  /// A time in the past, in words.
  package var agoText: String {
    guard let self else { return "" }
    return switch self {
    case ..<60: "\(Int(self)) s ago"
    case ..<3600: "\(Int(self / 60)) min ago"
    case ..<86_400: "\(Int(self / 3600)) h ago"
    default: "\(Int(min(self / 86_400, 1e9))) d ago"
    }
  }
}

extension LayoutConfiguration.Container {
  /// The length, or the distance between lengths if any may be requested.
  fileprivate func text(
    of length: KeyPath<Self, Length?>, _ sizes: KeyPath<Self, Sizes?>
  ) -> String {
    self[keyPath: sizes].map { "any, step \($0.step)" } ?? self[keyPath: length].text
  }
}

extension LayoutConfiguration {
  /// The kinds of sections, the default first.
  var kindNames: [String] {
    let others = breakpoints.map(\.options) + Array(styles.values) + Array(sections.values)
    let name = (section.kind ?? SectionOptions.kindDefault).name
    return [name] + Set(others.compactMap(\.kind?.name)).subtracting([name]).sorted()
  }
}

extension Int? {
  /// The revision at which a layout was last brought up to date, in words.
  package var preparedText: String { map { "revision \($0)" } ?? "never" }
}
