public import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout of a dataset.
public struct LayoutDescription: Hashable, Sendable {
  public var name: String
  public var configuration: LayoutConfiguration
  /// The dataset's revision that the layout was last brought up to date with; `nil` if this
  /// configuration has not been laid out, and for a responsive layout.
  public var preparedRevision: Int?
  /// The name of the template that the configuration comes from; `nil` for a layout of the dataset
  /// itself.
  public var template: String?
  /// The variants of a responsive layout, by name.
  public var variants: [VariantDescription] = []
}

/// A variant of a responsive layout: its result at one width.
public struct VariantDescription: Hashable, Sendable {
  /// The layout's name, `@` and the rounded size.
  public var name: String
  /// The size of its container; `nil` for a length along the scrolling axis that is that across.
  public var container: LayoutConfiguration.Container
  /// As ``LayoutDescription/preparedRevision``.
  public var preparedRevision: Int?
  /// The seconds since it was created; `nil` if unknown.
  public var secondsSinceCreation: Double?
  /// The seconds since its last use, as far as this process knows or another one has recorded it;
  /// `nil` if unknown.
  public var secondsSinceUse: Double?
  /// The size of its nodes in bytes.
  public var nodeBytes: Int
}

extension LayoutCache {
  /// Attaches a layout to a dataset, or changes the configuration of an existing layout.
  ///
  /// Nothing is laid out: the first query does that, or ``prepare(_:)``. Until then the result
  /// of the previous configuration stays readable; see ``Freshness``. Restoring that
  /// configuration costs nothing.
  ///
  /// The variants of a responsive layout get the new configuration like the layout, at their
  /// widths; those that it no longer has, because of another step, are dropped.
  ///
  /// If the container's cross-axis length or the scroll direction changes, the layout's measured
  /// lengths are dropped, unless the new configuration `keepsMeasuredLengths`. Dropping them
  /// changes the dataset and adds a revision; more than 4,096 lengths take several revisions.
  ///
  /// - Returns: Whether the layout is new, and the layout's current description.
  /// - Throws: ``LayoutCacheError``, and nothing is changed: `noSuchDataset`, `limit`,
  ///   `countLimit`, `configuration`, `variant`, `layoutExists` if another layout has the name of
  ///   a variant, `database`.
  /// - Complexity: O(log layouts + length of the configuration); O(items) without the write
  ///   lock if measured lengths are dropped.
  @discardableResult
  public func setLayout(
    _ layout: LayoutID, to configuration: LayoutConfiguration
  ) throws -> (isNew: Bool, layout: LayoutDescription) {
    try setLayout(layout, to: configuration, requiring: nil)
  }

  /// As the public call, if the present configuration meets a requirement.
  package func setLayout(
    _ layout: LayoutID, to configuration: LayoutConfiguration,
    requiring requirement: LayoutRequirement?
  ) throws -> (isNew: Bool, layout: LayoutDescription) {
    try call { _ in
      try Limits.check(name: layout.layout, as: "layout name")
      try checkName(of: layout, isResponsive: configuration.isResponsive)
      let text = try checkedText(of: configuration)
      let dropping = try lengthsToDrop(of: layout, before: configuration, requirement)
      let request = ChangeRequest(
        .setLayout(layout.layout, configuration: text, requiring: requirement))
      let applied: AppliedChange
      if dropping.isEmpty {
        applied = try commit(request, to: layout.dataset).applied
      } else {
        try update(layout.dataset, with: dropping)
        applied = try afterCommit { try commit(request, to: layout.dataset).applied }
      }
      // The change is applied even if reading the row back fails or another commit has changed
      // the layout since.
      let row = try? store.read { reader in
        try reader.requireLayout(layout.layout, of: reader.requireDataset(layout.dataset))
      }
      let description = LayoutDescription(
        name: layout.layout, configuration: configuration, preparedRevision: row?.preparedRevision)
      return (applied.isNew, description)
    }
  }

  /// Returns the text of a configuration that can be laid out.
  ///
  /// - Throws: `ConfigurationError`.
  func checkedText(of configuration: LayoutConfiguration) throws -> String {
    try configuration.check(custom: customKinds)
    // Members that the kind does not read are not validated. A value that cannot be decoded
    // again would corrupt the layout.
    let text = try ConfigurationText.encode(configuration)
    if configuration.isResponsive {
      // It has no plan; its variants do.
      _ = try ConfigurationText.decode(text)
    } else {
      _ = try customKinds.plan(ofText: text) { try ConfigurationText.decode(text) }
    }
    return text
  }

  /// Checks the name of a layout that is set or renamed: variants change only with their layout.
  ///
  /// A layout from a time when names could contain `@` may keep its name.
  private func checkName(of layout: LayoutID, isResponsive: Bool) throws {
    if isResponsive || !layout.mayBeVariant {
      return try LayoutCacheError.checkNew(layout: layout.layout, isResponsive: isResponsive)
    }
    let isOrdinary = try store.read { reader in
      guard let dataset = try reader.dataset(named: layout.dataset),
        try reader.variant(named: layout.layout, of: dataset) == nil
      else { return false }
      return try reader.layout(named: layout.layout, of: dataset.id) != nil
    }
    if !isOrdinary {
      throw LayoutCacheError(.variant(layout.layout, ConfigurationError(.reservedName)))
    }
  }

  /// Returns the operations that drop a layout's measured lengths, if the new configuration
  /// does not keep them. Commits all but the last 4,096 items itself.
  ///
  /// - Returns: Empty if nothing must be dropped.
  /// - Complexity: O(items) if the container changes, without the write lock; O(1) otherwise.
  func lengthsToDrop(
    of layout: LayoutID, before configuration: LayoutConfiguration,
    _ requirement: LayoutRequirement?
  ) throws -> [BatchOperation] {
    if configuration.keepsMeasuredLengths { return [] }
    try coordinator()?.catchUp(with: layout.dataset)
    let name = layout.layout
    let present = try mappingErrors(path) {
      try store.read { reader in
        try reader.dataset(named: layout.dataset)
          .flatMap { try reader.layout(named: name, of: $0.id) }
          // The container of a damaged configuration is unknown; the new one repairs it.
          .map { ($0.id, try? $0.decodedConfiguration(path: path, kinds: customKinds)) }
      }
    }
    guard case (let id, let old?)? = present, !old.isMeasuredAlike(configuration) else { return [] }
    // The lengths are dropped in their own commits, before the layout is set.
    if let requirement {
      let configuration = try store.read { reader in
        try reader.presentConfiguration(
          of: name, in: reader.requireDataset(layout.dataset), kinds: customKinds)
      }
      try requirement(configuration)
    }
    let (sections, items, ofLayout) = try onSnapshot(of: layout.dataset) { state, _, session in
      let measured = try state.trees.measured(in: id, session)
      let keys = try measured.items.map { number in
        try state.trees.keys(ofItems: number..<(number + 1), in: session)
      }
      return (
        measured.sections, keys.joined().map { MeasuredLength(key: $0, length: nil) },
        state.trees.layoutLengths[id] != nil
      )
    }
    var operations = sections.flatMap { section in
      [LayoutAttributes.SupplementaryKind.header, .footer].map {
        BatchOperation.preferSupplementary(
          layout: name, kind: $0, section: section.key, length: nil)
      }
    }
    for kind in [LayoutAttributes.SupplementaryKind.layoutHeader, .layoutFooter] where ofLayout {
      operations.append(.preferSupplementary(layout: name, kind: kind, section: "", length: nil))
    }
    var rest = items[...]
    while rest.count > Budgets.droppedLengths {
      let part = Array(rest.prefix(Budgets.droppedLengths))
      try update(layout.dataset, with: [.preferLengths(layout: name, part, missing: .ignore)])
      rest = rest.dropFirst(part.count)
    }
    if !rest.isEmpty {
      operations.append(.preferLengths(layout: name, Array(rest), missing: .ignore))
    }
    return operations
  }

  /// Returns the layouts of a dataset, or a page of them, in the order of their names' UTF-8 bytes.
  /// Variants are listed with their layout.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - name: The page begins after this name, which need not be a layout's; `nil` for the first
  ///     page.
  ///   - limit: The maximum number of layouts; below 1, none are returned.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log layouts + templates), and the configurations that are returned.
  public func layouts(
    of dataset: String, after name: String? = nil, limit: Int = .max
  ) throws -> [LayoutDescription] {
    try mappingErrors(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(dataset)
        return try reader.layoutNames(of: dataset, after: name, limit: limit).map {
          try description(of: $0, in: dataset, reader)
        }
      }
    }
  }

  private func description(
    of name: String, in dataset: DatasetRow, _ reader: StoreReader
  ) throws -> LayoutDescription {
    let template = try reader.template(of: name, in: dataset)
    guard let row = try reader.presentLayout(named: name, of: dataset) else {
      guard let template else {
        throw LayoutCacheError(.noSuchLayout(LayoutID(name, of: dataset.name)))
      }
      return LayoutDescription(
        name: name, configuration: try template.decodedConfiguration(path: path),
        template: template.name)
    }
    var description = try LayoutDescription(row, path: path)
    description.template = template?.name
    guard description.configuration.isResponsive else { return description }
    description.variants = try reader.variants(of: row).map { row in
      VariantDescription(
        name: row.name, container: try row.decodedConfiguration(path: path).container,
        preparedRevision: row.preparedRevision,
        secondsSinceCreation: try secondsSinceCreation(of: row, reader),
        secondsSinceUse: try secondsSinceUse(of: row, in: dataset, reader),
        nodeBytes: try row.result.map { try reader.nodeBytes(in: $0.space).bytes } ?? 0)
    }
    return description
  }

  /// Returns the seconds since the last known use of a variant; `nil` for none.
  func secondsSinceUse(
    of row: LayoutRow, in dataset: DatasetRow, _ reader: StoreReader
  ) throws -> Double? {
    let last = variants.times(
      of: LayoutID(row.name, of: dataset.name), try reader.variant(of: row.id)
    ).last
    return last > 0 ? secondsSince(last) : nil
  }

  /// Returns the seconds since the creation of a variant; `nil` if it is not recorded.
  func secondsSinceCreation(of row: LayoutRow, _ reader: StoreReader) throws -> Double? {
    try reader.variant(of: row.id).map { secondsSince($0.created) }
  }

  private func secondsSince(_ time: Int64) -> Double {
    // The system clock may be set back.
    Double(max(0, clock.now() - time)) / 1000
  }

  /// Returns the names of a dataset's layouts, in order, without those of variants.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  package func layoutNames(of dataset: String) throws -> [String] {
    try mappingErrors(path) {
      try store.read { try $0.layoutNames(of: $0.requireDataset(dataset)) }
    }
  }

  /// Returns a layout of a dataset, or a variant of a responsive layout, which need not exist yet.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `variant`, `database`.
  public func layout(_ layout: LayoutID) throws -> LayoutDescription {
    try mappingErrors(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(layout.dataset)
        if let variant = try reader.variant(named: layout.layout, of: dataset) {
          let configuration = variant.configuration.configuration(of: variant.size)
          return LayoutDescription(
            name: variant.name, configuration: configuration,
            preparedRevision: variant.row?.preparedRevision)
        }
        try LayoutCacheError.check(name: layout.layout, as: "layout name")
        return try description(of: layout.layout, in: dataset, reader)
      }
    }
  }

  /// Removes a layout and its results, with its variants; or a variant.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `database`.
  public func removeLayout(_ layout: LayoutID) throws { try removeLayout(layout, requiring: nil) }

  /// As the public call, if the present configuration meets a requirement.
  package func removeLayout(_ layout: LayoutID, requiring requirement: LayoutRequirement?) throws {
    try call { _ in
      let layout = try canonical(layout)
      try requireNoTemplate(of: layout)
      let request = ChangeRequest(.removeLayout(layout.layout, requiring: requirement))
      _ = try commit(request, to: layout.dataset)
      reclaimAfterCommit()
    }
  }

  /// Renames a layout, and its variants; the results stay.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `layoutExists`,
  ///   `limit`, `database`.
  public func renameLayout(_ layout: LayoutID, to name: String) throws {
    try call { _ in
      try checkName(of: layout, isResponsive: false)
      try requireNoTemplate(of: layout)
      let isResponsive = try store.read { reader in
        try reader.dataset(named: layout.dataset)
          .flatMap { try reader.layout(named: layout.layout, of: $0.id) }?
          .responsiveConfiguration(path: path) != nil
      }
      try LayoutCacheError.checkNew(layout: name, isResponsive: isResponsive)
      _ = try commit(ChangeRequest(.renameLayout(layout.layout, to: name)), to: layout.dataset)
    }
  }
}

extension LayoutCache {
  /// Checks that a layout is the dataset's own.
  ///
  /// - Throws: ``LayoutCacheError`` with `ofTemplate`.
  private func requireNoTemplate(of layout: LayoutID) throws {
    let template = try store.read { reader in
      try reader.dataset(named: layout.dataset).flatMap {
        try reader.template(of: layout.layout, in: $0)
      }
    }
    if let template { throw LayoutCacheError(.ofTemplate(layout, template: template.name)) }
  }
}

extension LayoutDescription {
  init(_ row: LayoutRow, path: String) throws {
    self.init(
      name: row.name, configuration: try row.decodedConfiguration(path: path),
      preparedRevision: row.preparedRevision)
  }
}
