package import LayoutCache
import LayoutGeometry

// The order of a dataset as flags, such as `-taken_at,name` and `-taken_at:month`, and as JSON.

extension DatasetOrder {
  /// Reads an order from the values of flags.
  ///
  /// - Parameters:
  ///   - order: Members separated by commas, each after a `-` for a descending order; `none` for no
  ///     order.
  ///   - sections: A member, as in `order`, and perhaps a colon and a part of its value.
  /// - Returns: `nil` without values, `.some(nil)` for no order.
  package static func stated(
    order: String?, sections: String?
  ) throws(ValueTextError) -> DatasetOrder?? {
    if order == nil && sections == nil { return nil }
    if order == "none" {
      guard sections == nil else {
        throw ValueTextError(description: "none cannot be combined with sections")
      }
      return .some(nil)
    }
    var stated = DatasetOrder([])
    for text in order?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      let (name, descending) = try member(text)
      stated.members.append(Member(by: name, descending: descending))
    }
    if let sections { stated.sections = try derived(sections) }
    do { try stated.check() } catch { throw ValueTextError(description: error.description) }
    return stated
  }

  /// Reads the order of a view, as in ``stated(order:sections:)``.
  static func members(_ text: String) throws(ViewTextError) -> [Member] {
    var members: [Member] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      // The message of a dataset's order offers `none`, which a view does not have.
      guard let (name, descending) = try? member(part) else {
        throw ViewTextError(
          parameter: .order, description: "expected names of members, such as -taken_at,name")
      }
      members.append(Member(by: name, descending: descending))
    }
    return members
  }

  private static func derived(_ text: String) throws(ValueTextError) -> Sections {
    guard let colon = text.lastIndex(of: ":") else {
      let (name, descending) = try member(text[...])
      return Sections(by: name, descending: descending)
    }
    let (name, descending) = try member(text[..<colon])
    let suffix = String(text[text.index(after: colon)...])
    guard let part = Sections.Part(rawValue: suffix) else {
      throw ValueTextError(
        description: "expected one of \(parts) after the colon, not '\(excerpt(suffix))'")
    }
    return Sections(by: name, part: part, descending: descending)
  }

  /// The parts of a value, for messages.
  private static var parts: String {
    Sections.Part.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private static func member(
    _ text: Substring
  ) throws(ValueTextError) -> (name: String, descending: Bool) {
    let descending = text.hasPrefix("-")
    let name = String(descending ? text.dropFirst() : text)
    guard !name.isEmpty else {
      throw ValueTextError(
        description: "expected names of members, such as -taken_at,name, or none")
    }
    return (name, descending)
  }

  /// The maximum length of the JSON of an order, in bytes.
  package static let bytesMax = 8 << 10

  /// Reads `order` and `sections` of a JSON object.
  ///
  /// - Parameter text: Strict JSON (RFC 8259); without text there is no statement.
  /// - Returns: As ``stated(order:sections:)``; `.some(nil)` if `order` is `null`.
  /// - Throws: ``RecordProblem``, whose line is 1.
  package static func stated(json text: String) throws -> DatasetOrder?? {
    if text.allSatisfy(\.isWhitespace) { return nil }
    return try BatchObject.reading(text) { try stated($0) }
  }

  /// Reads `order` of a JSON object.
  static func members(_ body: BatchObject) throws(RecordProblem) -> [Member] {
    var members: [Member] = []
    try body.forEachObject(of: "order") { member throws(RecordProblem) in
      try member.requireMembers(["by", "descending"], of: "a member of an order")
      members.append(
        Member(by: try member.string("by"), descending: try member.optionalFlag("descending")))
    }
    return members
  }

  private static func stated(_ body: BatchObject) throws(RecordProblem) -> DatasetOrder?? {
    try body.requireMembers(["order", "sections"], of: "a dataset")
    let hasSections = body.has("sections") && !body.isNull("sections")
    if body.isNull("order") && !hasSections { return .some(nil) }
    var order = DatasetOrder([])
    if body.has("order"), !body.isNull("order") {
      order.members = try members(body)
    } else if !hasSections {
      return nil
    }
    if hasSections {
      let sections = try body.nested("sections")
      try sections.requireMembers(
        ["by", "part", "descending", "style"], of: "the sections of an order")
      var part = Sections.Part.value
      if sections.has("part") {
        let text = try sections.string("part")
        guard let known = Sections.Part(rawValue: text) else {
          throw sections.problem(
            .unknownOperation, "part", "expected one of \(parts), not '\(excerpt(text))'")
        }
        part = known
      }
      order.sections = Sections(
        by: try sections.string("by"), part: part,
        descending: try sections.optionalFlag("descending"),
        style: sections.has("style") ? try sections.styleOrNull() : nil)
    }
    do { try order.check() } catch {
      throw body.problem(.beyondLimit, "order", error.description)
    }
    return order
  }
}

extension DatasetOrder.Member: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { (descending ? "-" : "") + by }
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("by", by)
    if descending { json.member("descending", true) }
    json.endObject()
  }
}

extension DatasetOrder.Sections: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { (descending ? "-" : "") + by + (part == .value ? "" : ":\(part)") }
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("by", by)
    if part != .value { json.member("part", part.rawValue) }
    if descending { json.member("descending", true) }
    json.optionalMember("style", style)
    json.endObject()
  }
}
