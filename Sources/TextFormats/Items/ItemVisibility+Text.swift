import JSONText
package import LayoutCache

// The member `hidden` of items and of the operation: true, false or "collapsed".

extension ItemVisibility {
  /// - Parameter text: The value in CSV, or the JSON text of the value.
  init?(text: String) {
    switch text {
    case "false": self = .shown
    case "true": self = .hidden
    case "collapsed", "\"collapsed\"": self = .collapsed
    default: return nil
    }
  }

  /// The value; `nil` for an item that is shown.
  package var ifNotShown: ItemVisibility? { self == .shown ? nil : self }
}

extension ItemVisibility: AnswerValue {
  /// The value in CSV.
  package var text: String {
    switch self {
    case .hidden: "true"
    case .collapsed: "collapsed"
    default: "false"
    }
  }

  package func write(to json: inout JSONWriter) {
    if self == .collapsed { json.value(text) } else { json.value(self == .hidden) }
  }
}

extension JSONToken {
  /// - Throws: `missingField`, `notAVisibility`.
  func visibility(
    _ field: String, in record: TextRecord
  ) throws(RecordProblem) -> ItemVisibility {
    if kind == .absent { throw record.missing(field) }
    guard let visibility = ItemVisibility(text: json(in: record)) else {
      throw record.problem(.notAVisibility, of: field, found: content(in: record))
    }
    return visibility
  }
}
