import LayoutCache

extension JSONWriter {
  /// Appends the object printed by `import --json`.
  package mutating func value(_ outcome: ItemImport.Outcome, dataset: String) {
    beginObject()
    members(of: outcome, dataset: dataset)
    endObject()
  }

  /// Appends the members about items whose shapes rounding changes, if there are any.
  package mutating func members(of proportions: Proportions) {
    if proportions.offCount > 0 { member("offShape", proportions.offCount) }
    if let scale = proportions.mendingScale { member("scale", scale) }
  }

  /// Appends the members of that object.
  package mutating func members(of outcome: ItemImport.Outcome, dataset: String) {
    member("dataset", dataset)
    member("revision", outcome.summary.revision)
    member("imported", outcome.summary.importedCount)
    member("updated", outcome.updatedCount)
    if let matched = outcome.summary.matched {
      member("deleted", matched.deletedCount)
      member("moved", matched.movedCount)
      member("changed", matched.changedCount)
    }
    member("skipped", outcome.skipped.count)
    member("duplicates", outcome.duplicateCount)
    member("withoutSection", outcome.sectionlessCount)
    if outcome.ignoresSections { member("ignoresSections", true) }
    if outcome.sizelessCount > 0 { member("withoutSize", outcome.sizelessCount) }
    members(of: outcome.proportions)
    member("sections", outcome.summary.sectionCount)
    member("items", outcome.summary.itemCount)
    member("problems", of: outcome.skipped.rows) { json, row in
      json.beginObject()
      json.member("line", row.line)
      json.optionalMember("field", row.field)
      json.member("reason", row.message)
      json.endObject()
    }
  }
}
