import LayoutCache
import LayoutGeometry

extension BatchObject {
  /// The operation that gives an item, or a section's header or footer, a measured length.
  func preference() throws(RecordProblem) -> BatchOperation {
    let layout = try layoutName("layout")
    let owners = ["key", "header", "footer"].filter { has($0) }
    if owners.count > 1 {
      throw problem(
        .conflictingMembers, owners[1], "\(owners[1]) excludes \(owners[0]); keep one of them")
    }
    guard let owner = owners.first, owner != "key" else {
      let key = try itemKey("key")
      let length = try lengthOrNull("length", of: key)
      let crossLength = has("crossLength") ? try lengthOrNull("crossLength", of: key) : nil
      if crossLength != nil && length == nil {
        throw problem(
          .conflictingMembers, "crossLength", "crossLength stands beside a length, not null")
      }
      return .prefer(layout: layout, key: key, length: length, crossLength: crossLength)
    }
    if has("crossLength") {
      throw problem(
        .conflictingMembers, "crossLength", "a \(owner) spans the container; it has no crossLength")
    }
    return .preferSupplementary(
      layout: layout, kind: owner == "header" ? .header : .footer,
      section: try sectionKey(owner), length: try lengthOrNull("length", of: nil))
  }

  private func lengthOrNull(
    _ member: String, of key: String?
  ) throws(RecordProblem) -> Length? {
    guard let points = try doubleOrNull(member) else { return nil }
    return try limited(key) { () throws(LimitError) in
      try Limits.naturalSide(points: points, as: LimitError.Subject(member))
    }
  }
}
