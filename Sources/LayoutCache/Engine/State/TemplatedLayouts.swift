import CollectionLayout
import LayoutGeometry
import LayoutStore

// Layouts from templates. A row of `layouts` names the definition that its configuration comes
// from. If another one is in effect now, the row counts as missing, and the caller who misses it
// files it again, by an ordinary change of the layout.

/// The change of a layout that is not as its template says.
enum TemplateChange {
  case set(TemplateRow)
  /// The template is no longer for the dataset.
  case removed
}

extension TemplateRow {
  /// Returns the stored configuration, which was validated before it was stored.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func decodedConfiguration(path: String) throws -> LayoutConfiguration {
    do {
      return try ConfigurationText.decode(configuration)
    } catch let error as ConfigurationError {
      throw StoreError(
        .corrupt(detail: "the configuration of template '\(excerpt(name))': \(error)"), path: path)
    }
  }
}

extension StoreReader {
  /// Returns the template that a layout of a dataset comes from, filed or not; `nil` for the
  /// dataset's own, and without any.
  func template(of layout: String, in dataset: DatasetRow) throws -> TemplateRow? {
    if let filed = try self.layout(named: layout, of: dataset.id), filed.template == nil {
      return nil
    }
    return try template(ofLayout: layout, of: dataset.name)
  }

  /// Returns the configuration that a layout of a dataset has now, filed or not; `nil` for a missing
  /// layout.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func presentConfiguration(
    of layout: String, in dataset: DatasetRow, kinds: CustomKinds
  ) throws -> LayoutConfiguration? {
    if let template = try template(of: layout, in: dataset) {
      return try template.decodedConfiguration(path: path)
    }
    return try presentLayout(named: layout, of: dataset)?
      .decodedConfiguration(path: path, kinds: kinds)
  }

  /// Returns the change that a template demands of a layout; `nil` if there is none: the layout is
  /// the dataset's own, filed from the present definition, or of no template.
  ///
  /// - Complexity: O(templates of the layout); O(log layouts) for the dataset's own.
  func templateChange(of layout: String, in dataset: DatasetRow) throws -> TemplateChange? {
    try templateChange(of: layout, filed: self.layout(named: layout, of: dataset.id), in: dataset)
  }

  private func templateChange(
    of layout: String, filed: LayoutRow?, in dataset: DatasetRow
  ) throws -> TemplateChange? {
    if let filed, filed.template == nil { return nil }
    let template = try template(ofLayout: layout, of: dataset.name)
    if template?.number == filed?.template { return nil }
    // Another node of the cluster knows later templates than this one.
    if let number = filed?.template, number > (try lastDefinition(in: 0)) { return nil }
    return template.map { .set($0) } ?? .removed
  }

  /// Returns the layout of a dataset with a name; `nil` if there is none, or it must be filed
  /// again. A variant is as its layout.
  func presentLayout(named name: String, of dataset: DatasetRow) throws -> LayoutRow? {
    guard let row = try layout(named: name, of: dataset.id) else { return nil }
    if row.template != nil {
      return try templateChange(of: name, filed: row, in: dataset) == nil ? row : nil
    }
    guard let parent = try layout(ofVariant: name, of: dataset), parent.template != nil else {
      return row
    }
    return try templateChange(of: parent.name, filed: parent, in: dataset) == nil ? row : nil
  }
}
