/// A row of `variants`: the times of a variant of a responsive layout.
package struct VariantRow: Sendable {
  package let layout: Int64
  /// The times of creation and of the last recorded use, in milliseconds since 1970.
  package let created: Int64
  package let used: Int64

  package init(layout: Int64, created: Int64, used: Int64) {
    self.layout = layout
    self.created = created
    self.used = used
  }
}

extension StoreReader {
  /// Returns the times of a layout; `nil` if none are recorded.
  package func variant(of layout: Int64) throws -> VariantRow? {
    let statement = try Statement("SELECT created, used FROM variants WHERE layout = ?", db)
    statement.bind([.number(layout)])
    return try statement.next().map { row in
      VariantRow(layout: layout, created: row.int64(at: 0) ?? 0, used: row.int64(at: 1) ?? 0)
    }
  }

  /// Returns the layouts of a dataset whose names are a name, `@` and more, ordered by name.
  ///
  /// - Complexity: O(log layouts + rows).
  package func layouts(of dataset: Int64, variantsOf name: String) throws -> [LayoutRow] {
    var layouts: [LayoutRow] = []
    // "A" is the character after "@".
    try forEachRow(
      "WHERE dataset = ? AND name > ? AND name < ? ORDER BY name",
      [.number(dataset), .text(name + "@"), .text(name + "A")]
    ) { layouts.append($0) }
    return layouts
  }
}

extension StoreWriter {
  /// Records the times of a variant.
  package func put(_ row: VariantRow) throws {
    try run(
      """
      INSERT INTO variants (layout, created, used) SELECT id, ?, ? FROM layouts WHERE id = ?
      ON CONFLICT (layout) DO UPDATE SET used = max(used, excluded.used)
      """, [.number(row.created), .number(row.used), .number(row.layout)])
  }
}
