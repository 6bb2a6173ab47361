public import CollectionLayout
import LayoutGeometry
import LayoutStore

/// A layout of all datasets whose names match a pattern.
///
/// It is laid out in a dataset when it is first used there, and again after the template has
/// changed. A layout of the dataset itself with the same name goes before it. Of several templates
/// of a name, one for this dataset alone goes before all others, and a longer pattern before a
/// shorter one.
public struct LayoutTemplate: Hashable, Sendable {
  public var name: String
  /// The name of a dataset, or the beginning of names and `*`.
  public var datasets: String
  /// The name of the layout in each dataset.
  public var layout: String
  public var configuration: LayoutConfiguration

  public init(
    _ name: String, datasets: String, layout: String, configuration: LayoutConfiguration
  ) {
    (self.name, self.datasets, self.layout) = (name, datasets, layout)
    self.configuration = configuration
  }
}

extension LayoutCache {
  /// Sets a template, or replaces the one of its name.
  ///
  /// No dataset changes: each gets the new configuration when its layout is next used, as by
  /// ``setLayout(_:to:)``. Layouts for which the template was, and no template is now, are removed.
  ///
  /// - Returns: Whether the template is new.
  /// - Throws: ``LayoutCacheError``, and nothing is changed: `configuration`, `limit`, `countLimit`,
  ///   `variant` for a layout's name with `@`, `templateExists`, `concurrentModification` if another
  ///   caller changes the template, `database`.
  /// - Complexity: O(1); O(layouts filed from templates) if `datasets` or `layout` change.
  @discardableResult
  public func setTemplate(_ template: LayoutTemplate) throws -> Bool {
    try setTemplate(template, requiring: { _ in })
  }

  /// As the public call, if the present template, `nil` for a missing one, meets a requirement.
  package func setTemplate(
    _ template: LayoutTemplate, requiring requirement: (LayoutTemplate?) throws -> Void
  ) throws -> Bool {
    let text = try call { _ in
      try Limits.check(name: template.name, as: "template name")
      try Limits.check(name: template.datasets, as: "datasets of a template")
      try LayoutCacheError.checkNew(
        layout: template.layout, isResponsive: template.configuration.isResponsive)
      return try checkedText(of: template.configuration)
    }
    let row = TemplateRow(
      template.name, datasets: template.datasets, layout: template.layout, configuration: text,
      time: clock.now(), who: Self.caller)
    let old = try lastTemplate(template.name)
    try requirement(old.map { try LayoutTemplate($0, path: path) })
    if let old, old.isSameDefinition(as: row) { return false }
    try commit(CatalogChange.setTemplate(row, replacing: old?.number))
    if let old, !old.layout.isExactly(row.layout) || !old.datasets.isExactly(row.datasets) {
      try afterCommit { try removeLayoutsOfNoTemplate() }
    }
    return old == nil
  }

  /// Returns the template at the end of the log, if the cache follows one.
  private func lastTemplate(_ name: String) throws -> TemplateRow? {
    try coordinator()?.catchUp(with: nil)
    return try storedTemplate(name)
  }

  private func storedTemplate(_ name: String) throws -> TemplateRow? {
    try call { _ in try store.read { try $0.template(named: name) } }
  }

  /// Returns the templates, or a page of them, in the order of their names' UTF-8 bytes.
  ///
  /// - Parameters:
  ///   - name: The page begins after this name; `nil` for the first page.
  ///   - limit: The maximum number of templates; below 1, none are returned.
  /// - Throws: ``LayoutCacheError`` with `database`.
  public func templates(
    after name: String? = nil, limit: Int = .max
  ) throws -> [LayoutTemplate] {
    try mappingErrors(path) {
      try store.read { reader in
        try reader.templates(after: name, limit: limit).map { try LayoutTemplate($0, path: path) }
      }
    }
  }

  /// Returns a template.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchTemplate`, `database`.
  public func template(_ name: String) throws -> LayoutTemplate {
    guard let row = try storedTemplate(name) else { throw LayoutCacheError(.noSuchTemplate(name)) }
    return try mappingErrors(path) { try LayoutTemplate(row, path: path) }
  }

  /// Removes a template, and the layouts for which no other template is.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchTemplate`, `concurrentModification` if another caller
  ///   changes the template, `database`.
  /// - Complexity: O(layouts filed from templates), in short transactions.
  public func removeTemplate(_ name: String) throws {
    try removeTemplate(name, requiring: { _ in })
  }

  /// As the public call, if the template meets a requirement.
  package func removeTemplate(
    _ name: String, requiring requirement: (LayoutTemplate) throws -> Void
  ) throws {
    guard let old = try lastTemplate(name) else { throw LayoutCacheError(.noSuchTemplate(name)) }
    try requirement(LayoutTemplate(old, path: path))
    try commit(CatalogChange.removeTemplate(name, number: old.number))
    try afterCommit { try removeLayoutsOfNoTemplate() }
  }

  /// Removes the layouts that a template has filed and for which none is now. Those that remain if
  /// this fails are removed when they are next used.
  private func removeLayoutsOfNoTemplate() throws {
    var last: Int64? = 0
    while let start = last {
      let removed = try call { _ in
        try store.read { reader in
          let rows = try reader.layoutsOfTemplates(after: start, limit: Budgets.reclaimedRows)
          last = rows.last?.layout.id
          // Those with another definition now are filed again when they are next used.
          return try rows.filter { layout, dataset in
            guard case .removed = try reader.templateChange(of: layout.name, in: dataset) else {
              return false
            }
            return true
          }
        }
      }
      for (layout, dataset) in removed {
        _ = try followTemplate(of: LayoutID(layout.name, of: dataset.name))
      }
    }
    reclaimAfterCommit()
  }
}

// MARK: - Following

extension LayoutCache {
  /// Runs `body`, and again if it misses a layout that a template files, unless nothing may be stored.
  func followingTemplates<R>(_ dataset: String, _ body: () throws -> R) throws -> R {
    for _ in 0..<Budgets.readAttempts {
      do {
        return try body()
      } catch let error as LayoutCacheError {
        guard Self.mayStoreSizes, let name = error.missingLayout,
          try followTemplate(of: LayoutID(name, of: dataset))
        else { throw error }
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: dataset))
  }

  /// As ``followingTemplates(_:_:)``, for tasks.
  nonisolated(nonsending) func followingTemplatesInTask<R: Sendable>(
    _ dataset: String, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    for _ in 0..<Budgets.readAttempts {
      do {
        return try await body()
      } catch let error as LayoutCacheError {
        guard Self.mayStoreSizes, let name = error.missingLayout,
          try await perform({ try $0.followTemplate(of: LayoutID(name, of: dataset)) })
        else { throw error }
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: dataset))
  }

  /// Returns a layout that its template would file now, for reads that file none; `nil` for others.
  ///
  /// - Throws: ``LayoutCacheError`` with `variant` if the name does not have the width that the layout
  ///   needs, or an invalid one.
  func templated(_ layout: LayoutID) throws -> TemporaryLayout? {
    let end = layout.layout.lastIndex(of: "@")
    let name = String(layout.layout[..<(end ?? layout.layout.endIndex)])
    return try call { _ in
      try store.read { reader in
        guard let dataset = try reader.dataset(named: layout.dataset),
          case .set(let template)? = try reader.templateChange(of: name, in: dataset)
        else { return nil }
        let configuration = try template.decodedConfiguration(path: path)
        guard configuration.isResponsive else {
          return end == nil
            ? try TemporaryLayout(layout, configuration, kinds: customKinds) : nil
        }
        let (own, size) = try configuration.variant(named: layout.layout)
        return try TemporaryLayout(
          LayoutID(own, of: layout.dataset), configuration.configuration(of: size),
          kinds: customKinds)
      }
    }
  }

  /// Files a layout as its template says, or removes it if there is no template for it now.
  ///
  /// - Parameter missed: The layout, or a variant of it.
  /// - Returns: Whether the layout was filed, by this call or since another one missed it.
  func followTemplate(of missed: LayoutID) throws -> Bool {
    let name = String(missed.layout.prefix { $0 != "@" })
    let layout = LayoutID(name, of: missed.dataset)
    return try call { _ in
      let found = try store.read { reader in
        try reader.dataset(named: layout.dataset).map { dataset in
          let filed = try reader.layout(named: name, of: dataset.id)
          // One of one size has no variant that could be missed.
          let mayBeMissed =
            try missed == layout || filed?.responsiveConfiguration(path: path) != nil
          return (
            isFiled: filed?.template != nil && mayBeMissed, filed: filed?.template,
            change: try reader.templateChange(of: name, in: dataset)
          )
        }
      }
      guard let found else { return false }
      switch found.change {
      case nil: return found.isFiled
      case .removed:
        let request = ChangeRequest(.followTemplate(name, to: nil, replacing: found.filed))
        _ = try commit(request, to: layout.dataset)
        return false
      case .set(let template):
        do {
          let configuration = try template.decodedConfiguration(path: path)
          let dropping = try lengthsToDrop(of: layout, before: configuration, nil)
          if !dropping.isEmpty { try update(layout.dataset, with: dropping) }
          let definition = (template.configuration, template.number, template.who)
          let request = ChangeRequest(
            .followTemplate(name, to: definition, replacing: found.filed))
          _ = try commit(request, to: layout.dataset)
        } catch let error as LayoutCacheError where error.isReadOnly {
          throw LayoutCacheError.unprepared(layout, inReadOnly: path)
        }
        return true
      }
    }
  }
}

extension LayoutCacheError {
  /// The name of the layout that does not exist.
  fileprivate var missingLayout: String? {
    switch code {
    case .noSuchLayout(let layout): layout.layout
    case .refused(_, .noSuchLayout(let name)): name
    default: nil
    }
  }
}

extension TemplateRow {
  fileprivate func isSameDefinition(as other: TemplateRow) -> Bool {
    datasets.isExactly(other.datasets) && layout.isExactly(other.layout)
      && configuration.isExactly(other.configuration)
  }
}

extension LayoutTemplate {
  init(_ row: TemplateRow, path: String) throws {
    self.init(
      row.name, datasets: row.datasets, layout: row.layout,
      configuration: try row.decodedConfiguration(path: path))
  }
}
