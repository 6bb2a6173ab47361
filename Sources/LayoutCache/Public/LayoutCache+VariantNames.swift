import CollectionLayout
import LayoutGeometry
import LayoutStore

// The names of variants: resolving them without laying anything out, and in changes.

extension LayoutCache {
  /// Returns the layout that a name means, without creating it.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `variant`, `database`.
  package func canonical(_ layout: LayoutID) throws -> LayoutID {
    guard layout.mayBeVariant else { return layout }
    return try named(layout).layout
  }

  /// Returns the layout that a name means, and whether it is an existing variant.
  private func named(_ layout: LayoutID) throws -> (layout: LayoutID, isVariant: Bool) {
    try call { _ in
      let found = try store.read { reader in
        try reader.variant(named: layout.layout, of: reader.requireDataset(layout.dataset))
      }
      guard let found else { return (layout, false) }
      return (LayoutID(found.name, of: layout.dataset), found.row != nil)
    }
  }

  /// Returns the layout with a result that a name means, creating a missing variant without laying
  /// it out.
  ///
  /// - Throws: As ``canonical(_:)``, and the errors of creating it; `noSuchLayout`.
  package func existing(_ layout: LayoutID) throws -> LayoutID {
    if layout.mayBeVariant { return try onVariant(layout, for: .name) { $0.layout } }
    try followingTemplates(layout.dataset) {
      try call { _ in
        try store.read { reader in
          try reader.requireLayout(layout.layout, of: reader.requireDataset(layout.dataset))
            .requireOneSize(path: path)
        }
      }
    }
    return layout
  }

  /// Returns the layout itself, or all variants of a responsive layout.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `variant`, `database`.
  package func layoutsWithResult(of layout: LayoutID) throws -> [LayoutID] {
    if layout.mayBeVariant { return [try canonical(layout)] }
    return try followingTemplates(layout.dataset) {
      try call { _ in
        try store.read { reader in
          let row = try reader.requireLayout(
            layout.layout, of: reader.requireDataset(layout.dataset))
          guard try row.responsiveConfiguration(path: path) != nil else { return [layout] }
          return try reader.variants(of: row).map { LayoutID($0.name, of: layout.dataset) }
        }
      }
    }
  }
}

// MARK: - Names in changes

extension LayoutCache {
  /// Returns an operation with the name of the variant that it means, which counts as a use of
  /// it. Variants that are measured are created.
  func canonical(_ operation: BatchOperation, in dataset: String) throws -> BatchOperation {
    func variant(_ name: String, isMeasured: Bool) throws -> String {
      let layout = LayoutID(name, of: dataset)
      guard layout.mayBeVariant else { return name }
      if isMeasured { return try existing(layout).layout }
      let (variant, isVariant) = try named(layout)
      if isVariant { variants.use(variant) }
      return variant.layout
    }
    switch operation {
    case .prefer(let name, let key, let length, let crossLength):
      return .prefer(
        layout: try variant(name, isMeasured: length != nil), key: key, length: length,
        crossLength: crossLength)
    case .preferLengths(let name, let lengths, let missing):
      return .preferLengths(
        layout: try variant(name, isMeasured: lengths.contains { $0.length != nil }), lengths,
        missing: missing)
    case .preferSupplementary(let name, let kind, let section, let length):
      return .preferSupplementary(
        layout: try variant(name, isMeasured: length != nil), kind: kind, section: section,
        length: length)
    case .resetLengths(let name):
      return .resetLengths(layout: try variant(name, isMeasured: false))
    case .invalidate(let name, let items, let sections, let everything):
      return .invalidate(
        layout: try variant(name, isMeasured: false), items: items, sections: sections,
        everything: everything)
    case .invalidateElements(let name, let kinds, let sections):
      return .invalidateElements(
        layout: try variant(name, isMeasured: false), kinds: kinds, sections: sections)
    case .rebalance(let name, let section, let key):
      return .rebalance(layout: try variant(name, isMeasured: false), section: section, from: key)
    default: return operation
    }
  }

  /// Returns whether a batch names no variants, so that no name has to be resolved.
  func namesNoVariant(_ request: ChangeRequest) -> Bool {
    let names = request.viewport.layouts.names + request.operations.compactMap(\.layout)
    return !names.contains { LayoutID($0, of: "").mayBeVariant }
  }

  /// Returns the layouts that a commit updates, by the names of the variants that they mean.
  func canonical(_ layouts: UpdatedLayouts, of dataset: String) throws -> UpdatedLayouts {
    guard case .named(let names) = layouts else { return layouts }
    return .named(try names.map { try canonical(LayoutID($0, of: dataset)).layout })
  }
}
