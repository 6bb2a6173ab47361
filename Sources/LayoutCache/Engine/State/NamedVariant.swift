import CollectionLayout
import LayoutGeometry
import LayoutStore

/// A variant of a responsive layout, which need not exist yet.
struct NamedVariant {
  /// The variant's name: `NAME@WIDTH`, with the rounded width.
  let name: String
  /// The responsive layout.
  let parent: LayoutRow
  let configuration: LayoutConfiguration
  let size: VariantSize
  /// The variant's row; `nil` if it does not exist.
  var row: LayoutRow?

  /// The maximum number of variants of the layout.
  var keep: Int { configuration.sizes?.keep ?? 0 }

  /// Returns the text of the variant's own configuration.
  ///
  /// - Throws: ``LayoutCacheError`` with `variant` if the options do not fit the size.
  func configurationText(kinds: CustomKinds) throws -> String {
    let own = configuration.configuration(of: size)
    do {
      _ = try LayoutPlan(own, custom: kinds)
      return try ConfigurationText.encode(own)
    } catch let error as ConfigurationError {
      throw LayoutCacheError(.variant(name, error))
    }
  }

  /// Returns the variant as it is answered without being stored.
  ///
  /// - Throws: As ``configurationText(kinds:)``.
  func temporary(in dataset: String, kinds: CustomKinds) throws -> TemporaryLayout {
    try TemporaryLayout(
      LayoutID(name, of: dataset), configuration.configuration(of: size), kinds: kinds)
  }
}

/// A layout that is not stored: a variant, or one of a template that is not filed. Its results are in
/// memory, and follow from the items alone.
final class TemporaryLayout: Sendable {
  let id: LayoutID
  /// The configuration as JSON.
  private let text: String
  /// The plan, in which each waterfall is placed as if from scratch.
  let plan: LayoutPlan

  /// - Throws: ``LayoutCacheError`` with `variant` if the options do not fit the size.
  init(_ id: LayoutID, _ configuration: LayoutConfiguration, kinds: CustomKinds) throws {
    self.id = id
    do {
      _ = try LayoutPlan(configuration, custom: kinds)
      text = try ConfigurationText.encode(configuration)
      plan = try LayoutPlan(configuration.exact, custom: kinds)
    } catch let error as ConfigurationError {
      throw LayoutCacheError(.variant(id.layout, error))
    }
  }

  /// The row of a layout that is not in the database: its ID is negative.
  func row(in dataset: DatasetRow) -> LayoutRow {
    let digest = HistoryNumber(digesting: "\(id.layout)\0\(text)").rawValue
    return LayoutRow(
      id: digest | .min, dataset: dataset.id, name: id.layout, configuration: text, result: nil)
  }
}

extension LayoutRow {
  /// The number of the results of a layout that is not stored: equal in all processes until the
  /// definition changes.
  func temporaryIncarnation(in dataset: DatasetRow) -> HistoryNumber {
    HistoryNumber(digesting: "\(dataset.incarnation) \(id)")
  }
}

extension LayoutConfiguration {
  /// The configuration with each waterfall placed as if from scratch.
  var exact: LayoutConfiguration {
    func exact(_ options: SectionOptions) -> SectionOptions {
      var options = options
      if options.assignment != nil { options.assignment = .exact }
      return options
    }
    var own = self
    own.section.assignment = .exact
    own.styles = styles.mapValues(exact)
    own.sections = sections.mapValues(exact)
    for index in breakpoints.indices {
      own.breakpoints[index].options = exact(breakpoints[index].options)
    }
    return own
  }
}

extension LayoutConfiguration {
  /// Returns the variant that a name means: its own name, with the rounded size, and the size.
  ///
  /// - Throws: ``LayoutCacheError`` with `variant` for a name without a size, or an invalid one.
  func variant(named name: String) throws -> (name: String, size: VariantSize) {
    do throws(ConfigurationError) {
      guard let end = name.lastIndex(of: "@") else { throw ConfigurationError(.sizeMissing) }
      let size = try variantSize(of: RequestedSize(name[name.index(after: end)...]))
      return ("\(name[...end])\(text(of: size))", size)
    } catch { throw LayoutCacheError(.variant(name, error)) }
  }
}

extension LayoutID {
  package var mayBeVariant: Bool { layout.utf8.contains(UInt8(ascii: "@")) }
}

extension Set<ExactKey> {
  /// Returns whether a layout, or the one that it may be a variant of, is among these layouts.
  func hasLayout(_ name: String) -> Bool {
    contains(ExactKey(name))
      || name.lastIndex(of: "@").map { contains(ExactKey(String(name[..<$0]))) } ?? false
  }
}

extension LayoutRow {
  /// Returns the configuration, if the layout is responsive.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func responsiveConfiguration(path: String) throws -> LayoutConfiguration? {
    // Spares other layouts the decoding. Members are sorted, so only breakpoints come first.
    let begin =
      configuration.hasPrefix("{\"container\":") ? configuration.prefix(256) : configuration[...]
    guard begin.contains("\"widths\":{") || begin.contains("\"heights\":{") else { return nil }
    let decoded = try decodedConfiguration(path: path)
    return decoded.isResponsive ? decoded : nil
  }

  /// Checks that the layout has one size, and so a result.
  ///
  /// - Throws: ``LayoutCacheError`` with `variant`; `StoreError` with `corrupt`.
  func requireOneSize(path: String) throws {
    if try responsiveConfiguration(path: path) != nil {
      throw LayoutCacheError(.variant(name, ConfigurationError(.sizeMissing)))
    }
  }
}

extension LayoutRow {
  /// Returns the size of a variant, if a responsive configuration has exactly this size.
  func variantSize(in configuration: LayoutConfiguration) -> VariantSize? {
    guard let end = name.lastIndex(of: "@") else { return nil }
    let text = name[name.index(after: end)...]
    // A size that is out of range now is one that the configuration does not have.
    guard let requested = try? RequestedSize(text),
      let size = try? configuration.variantSize(of: requested), configuration.text(of: size) == text
    else { return nil }
    return size
  }
}

extension StoreReader {
  /// Returns the variant that a name means; `nil` if it is the name of another layout, or of none.
  ///
  /// - Throws: ``LayoutCacheError`` with `variant` for an invalid size; `StoreError` with
  ///   `corrupt`.
  func variant(
    named name: String, of dataset: DatasetRow, isFiled: Bool = false
  ) throws -> NamedVariant? {
    guard let end = name.lastIndex(of: "@"), name.utf8.count <= Limits.nameBytesMax,
      let parent = try isFiled
        ? layout(named: String(name[..<end]), of: dataset.id)
        : presentLayout(named: String(name[..<end]), of: dataset),
      let configuration = try parent.responsiveConfiguration(path: path)
    else { return nil }
    let (own, size) = try configuration.variant(named: name)
    return NamedVariant(
      name: own, parent: parent, configuration: configuration, size: size,
      row: try layout(named: own, of: dataset.id))
  }

  /// Returns the layout of a dataset with a name, which may be any name of a variant. A layout that
  /// its template will change is not missing: who names it in a batch has seen it as it is.
  ///
  /// - Throws: As ``variant(named:of:)``.
  func layoutOrVariant(named name: String, of dataset: DatasetRow) throws -> LayoutRow? {
    if let variant = try variant(named: name, of: dataset, isFiled: true) { return variant.row }
    return try layout(named: name, of: dataset.id)
  }

  /// Returns the names of a dataset's layouts, or a page of them, in the order of their UTF-8 bytes:
  /// without those of variants, and with those of templates that are not filed yet.
  ///
  /// - Parameters:
  ///   - name: The name after which the page starts; `nil` for the first page.
  ///   - limit: The maximum number of names.
  func layoutNames(
    of dataset: DatasetRow, after name: String? = nil, limit: Int = .max
  ) throws -> [String] {
    var (names, last): ([String], String?) = ([], name)
    while names.count < limit {
      let page = try ownLayoutNames(of: dataset.id, after: last, limit: limit - names.count)
      guard let end = page.last else { break }
      last = end
      names += try page.filter { try !isVariant($0, of: dataset) }
    }
    let own = Set(names.map(ExactKey.init))
    names += try templates(of: dataset.name).map(\.layout).filter {
      !own.contains(ExactKey($0)) && (name ?? "").utf8.lexicographicallyPrecedes($0.utf8)
    }
    return Array(
      names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(max(limit, 0)))
  }

  private func isVariant(_ name: String, of dataset: DatasetRow) throws -> Bool {
    try layout(ofVariant: name, of: dataset)?.responsiveConfiguration(path: path) != nil
  }

  /// Returns the layout of which a name may be a variant's, if it exists.
  func layout(ofVariant name: String, of dataset: DatasetRow) throws -> LayoutRow? {
    try name.lastIndex(of: "@").flatMap { try layout(named: String(name[..<$0]), of: dataset.id) }
  }

  /// Returns the variants of a layout, ordered by name; none if it is not responsive.
  func variants(of layout: LayoutRow) throws -> [LayoutRow] {
    guard try layout.responsiveConfiguration(path: path) != nil else { return [] }
    return try layouts(of: layout.dataset, variantsOf: layout.name)
  }
}

extension LayoutCacheError {
  /// The maximum length of a responsive layout's name in bytes: its variants' names are longer.
  static let responsiveNameBytesMax = Limits.nameBytesMax - 32

  /// Checks the name of a new layout.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`, `variant`.
  static func checkNew(layout name: String, isResponsive: Bool) throws {
    try Limits.check(name: name, as: "layout name")
    if name.utf8.contains(UInt8(ascii: "@")) {
      throw LayoutCacheError(.variant(name, ConfigurationError(.reservedName)))
    }
    if isResponsive, name.utf8.count > responsiveNameBytesMax {
      throw LimitError(
        .tooLong, "layout name", limit: Double(responsiveNameBytesMax),
        value: Double(name.utf8.count))
    }
  }
}
