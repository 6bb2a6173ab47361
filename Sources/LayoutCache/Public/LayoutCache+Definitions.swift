public import CollectionLayout
import LayoutStore

/// A configuration that a layout has, or had before.
public struct LayoutDefinition: Hashable, Sendable {
  /// When it was set.
  public var millisecondsSince1970: Int64
  /// The name of the caller whose token the service has checked, if any.
  public var who: String?
  public var configuration: LayoutConfiguration

  fileprivate init(_ time: Int64, _ who: String, _ configuration: LayoutConfiguration) {
    millisecondsSince1970 = time
    self.who = who.isEmpty ? nil : who
    self.configuration = configuration
  }
}

extension LayoutCache {
  /// Returns the last 16 configurations of a layout, the present one first. They remain when the
  /// layout is renamed, and are removed with it. Of a variant, those of its layout; of a layout that
  /// comes from a template, the present one.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `variant`, `database`.
  /// - Complexity: O(log layouts + length of the configurations).
  public func layoutHistory(of layout: LayoutID) throws -> [LayoutDefinition] {
    try mappingErrors(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(layout.dataset)
        let name = try reader.variant(named: layout.layout, of: dataset)?.parent.name
        if let template = try reader.template(of: name ?? layout.layout, in: dataset) {
          return [
            LayoutDefinition(
              template.time, template.who, try template.decodedConfiguration(path: path))
          ]
        }
        let row = try reader.requireLayout(name ?? layout.layout, of: dataset)
        return try reader.definitions(of: row.id).map { definition in
          var row = row
          row.configuration = definition.configuration
          return LayoutDefinition(
            definition.time, definition.who, try row.decodedConfiguration(path: path))
        }
      }
    }
  }

  /// Sets a layout to the configuration before its present one, which then is the previous one: a
  /// second call restores it. As ``setLayout(_:to:)``.
  ///
  /// - Returns: The layout's current description.
  /// - Throws: As ``setLayout(_:to:)``; also ``LayoutCacheError`` with `noSuchLayout`,
  ///   `noPreviousConfiguration`, or `concurrentModification` if another call sets the layout.
  @discardableResult
  public func restorePreviousConfiguration(of layout: LayoutID) throws -> LayoutDescription {
    try restorePreviousConfiguration(of: layout, requiring: nil)
  }

  /// As the public call, if the present configuration meets a requirement.
  package func restorePreviousConfiguration(
    of layout: LayoutID, requiring requirement: LayoutRequirement?
  ) throws -> LayoutDescription {
    let history = try layoutHistory(of: layout)
    guard history.count > 1 else { throw LayoutCacheError(.noPreviousConfiguration(layout)) }
    return try setLayout(
      layout, to: history[1].configuration,
      requiring: { present in
        try requirement?(present)
        // Before another present configuration, there is another previous one.
        if present == history[0].configuration { return }
        throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
      }
    ).layout
  }
}
