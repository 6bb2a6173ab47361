import LayoutCache
import LayoutGeometry

/// The styles that the rows of an import state for their sections. All rows that state a style
/// of a section must agree.
struct StatedStyles {
  /// A style, and the line that states it first.
  struct Statement {
    let style: String
    let line: Int
  }

  private var statements: [ExactKey: Statement] = [:]

  /// Records a row's style, if it states one.
  ///
  /// - Parameter field: The column or member with the style.
  /// - Returns: The problem, if an earlier row states another style of the section.
  mutating func contradiction(of record: ItemRecord, field: String?) -> RecordProblem? {
    guard let style = record.style else { return nil }
    let section = record.section ?? Importer.defaultSection
    guard let known = statements[ExactKey(section)] else {
      statements[ExactKey(section)] = Statement(style: style, line: record.line)
      return nil
    }
    if known.style.isExactly(style) { return nil }
    return RecordProblem(style: style, of: section, known, line: record.line, field: field)
  }
}
