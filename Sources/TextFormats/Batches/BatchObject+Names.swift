import LayoutCache
import LayoutGeometry

// Keys and names, checked against `Limits`. A violation is rejected with `beyondLimit` and the
// message of the library's error for the operation.

extension BatchObject {
  func itemKey(_ member: String) throws(RecordProblem) -> String {
    try checked(try key(member), member, as: "key", isItem: true)
  }

  func itemKeys(_ member: String) throws(RecordProblem) -> [String] {
    try names(member, as: "key", areItems: true)
  }

  func sectionKey(_ member: String) throws(RecordProblem) -> String {
    try checked(try key(member), member, as: "section key")
  }

  func sectionKeys(_ member: String) throws(RecordProblem) -> [String] {
    try names(member, as: "section key")
  }

  /// A name of another kind.
  func name(_ member: String, as subject: LimitError.Subject) throws(RecordProblem) -> String {
    try checked(try string(member), member, as: subject)
  }

  /// The name of a section's style in `style`; `nil` for null.
  func styleOrNull() throws(RecordProblem) -> String? {
    isNull("style") ? nil : try name("style", as: "style name")
  }

  /// Returns the mark expected in `after`: a position, or none for null.
  func markExpectation() throws(RecordProblem) -> MarkExpectation {
    guard has("after") else { return .any }
    return isNull("after") ? .none : .position(try name("after", as: "after"))
  }

  func layoutName(_ member: String) throws(RecordProblem) -> String {
    try checked(try string(member), member, as: "layout name")
  }

  /// Names of another kind.
  func names(
    _ member: String, as subject: LimitError.Subject, areItems: Bool = false
  ) throws(RecordProblem) -> [String] {
    let names = try keys(member)
    for (index, name) in names.enumerated() {
      _ = try checked(name, "\(member)[\(index)]", as: subject, isItem: areItems)
    }
    return names
  }

  private func checked(
    _ name: String, _ member: String, as subject: LimitError.Subject, isItem: Bool = false
  ) throws(RecordProblem) -> String {
    do {
      try Limits.check(name: name, as: subject)
    } catch {
      let refused = LayoutCacheError(
        .refused(operation: number, .limit(error, key: isItem ? name : nil)))
      throw problem(.beyondLimit, member, refused.description)
    }
    return name
  }
}
