package import LayoutCache
import LayoutGeometry

extension MeasuredLength {
  /// Reads `{"lengths": [["KEY", 211.5], ...]}`, as in the operation `prefer`.
  ///
  /// - Parameter text: Strict JSON (RFC 8259).
  /// - Throws: ``RecordProblem``, whose line is 1.
  package static func list(json text: String) throws -> [MeasuredLength] {
    try BatchObject.reading(text) { try $0.onlyLengths() }
  }
}

extension BatchObject {
  /// Returns the operation that sets a measured length of an item, or of a header or footer of a
  /// section or of the layout.
  func preference() throws(RecordProblem) -> BatchOperation {
    let layout = try layoutName("layout")
    let owners = [
      "lengths", "everything", "layoutHeader", "layoutFooter", "key", "header", "footer",
    ].filter { has($0) }
    if owners.count > 1 {
      throw problem(
        .conflictingMembers, owners[1], "\(owners[1]) cannot be combined with \(owners[0])")
    }
    let owned = [
      "lengths": ["missing"], "everything": [], "layoutHeader": [], "layoutFooter": [],
    ][owners.first ?? "key"]
    let others = ["length", "crossLength", "missing"].filter { has($0) }
    if let other = others.first(where: { !(owned ?? ["length", "crossLength"]).contains($0) }) {
      throw problem(
        .conflictingMembers, other, "\(other) cannot be combined with \(owners.first ?? "key")")
    }
    if owners == ["lengths"] {
      return .preferLengths(
        layout: layout, try measuredLengths("lengths"), missing: try missingKeys())
    }
    if owners == ["everything"] {
      guard isNull("everything") else {
        throw problem(
          .unknownValue, "everything",
          "everything must be null, which resets all lengths of the layout")
      }
      return .resetLengths(layout: layout)
    }
    if let owner = owners.first, owner.hasPrefix("layout") {
      return .preferSupplementary(
        layout: layout, kind: LayoutAttributes.SupplementaryKind(rawValue: owner), section: "",
        length: try lengthOrNull(owner, of: nil))
    }
    guard let owner = owners.first, owner != "key" else {
      let key = try itemKey("key")
      let length = try lengthOrNull("length", of: key)
      let crossLength = has("crossLength") ? try lengthOrNull("crossLength", of: key) : nil
      if crossLength != nil && length == nil {
        throw problem(
          .conflictingMembers, "crossLength", "crossLength requires a length other than null")
      }
      return .prefer(layout: layout, key: key, length: length, crossLength: crossLength)
    }
    if has("crossLength") {
      throw problem(
        .conflictingMembers, "crossLength", "a \(owner) spans the container and has no crossLength")
    }
    return .preferSupplementary(
      layout: layout, kind: owner == "header" ? .header : .footer,
      section: try sectionKey(owner), length: try lengthOrNull("length", of: nil))
  }

  /// Returns the entries of `lengths`, its only member.
  fileprivate func onlyLengths() throws(RecordProblem) -> [MeasuredLength] {
    try requireMembers(["lengths"], of: "the body")
    return try measuredLengths("lengths")
  }

  /// Returns the entries of a member: `["key", length]` or `["key", length, crossLength]`.
  private func measuredLengths(_ member: String) throws(RecordProblem) -> [MeasuredLength] {
    var lengths: [MeasuredLength] = []
    try forEachArray(member) { entry throws(RecordProblem) in
      guard (2...3).contains(entry.count) else {
        throw entry.problem(
          .unknownValue,
          "\(entry.field) must have a key, a length or null, and optionally a cross length")
      }
      let key = try entry.key(0)
      try within(entry, key) { () throws(LimitError) in try Limits.check(name: key, as: "key") }
      let measured = MeasuredLength(
        key: key, length: try length(1, "length", of: entry, key),
        crossLength: try length(2, "crossLength", of: entry, key))
      if measured.length == nil && measured.crossLength != nil {
        throw entry.problem(
          .conflictingMembers, "\(entry.field): a cross length requires a length other than null")
      }
      lengths.append(measured)
    }
    return lengths
  }

  private func length(
    _ index: Int, _ name: String, of entry: Entry, _ key: String
  ) throws(RecordProblem) -> Length? {
    guard index < entry.count, let points = try entry.doubleOrNull(index) else { return nil }
    return try within(entry, key) { () throws(LimitError) in
      try Limits.naturalSide(points: points, as: LimitError.Subject(name))
    }
  }

  private func within<Value>(
    _ entry: Entry, _ key: String, _ make: () throws(LimitError) -> Value
  ) throws(RecordProblem) -> Value {
    do {
      return try make()
    } catch {
      let refused = LayoutCacheError(.refused(operation: number, .limit(error, key: key)))
      throw entry.problem(.beyondLimit, refused.description)
    }
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
