/// Counts the rows without a section of a text that has sections.
struct SectionlessRows {
  private var emptyCount = 0
  /// Whether the field of the section is named, or a row has one.
  private(set) var hasSections: Bool

  init(_ fields: FieldNames) { hasSections = fields.section.isRequired }

  /// The number of such rows; 0 in a text without sections.
  var count: Int { hasSections ? emptyCount : 0 }

  mutating func add(_ record: ItemRecord) {
    if record.section == nil { emptyCount += 1 } else { hasSections = true }
  }
}
