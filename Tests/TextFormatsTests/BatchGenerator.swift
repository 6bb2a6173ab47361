import LayoutCache
import LayoutGeometry
import TestSupport

@testable import TextFormats

/// A random batch with one of its JSON notations.
struct GeneratedBatch {
  var lines: [GeneratedLine] = []
  private var ends: [String] = []

  init(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      lines.append(GeneratedLine(using: &random))
      ends.append(["\n", "\r\n", "\n\n", "\n \t\r\n"].randomElement(using: &random)!)
    }
  }

  var text: String { zip(lines, ends).map { $0.text + $1 }.joined() }

  var records: [BatchRecord] {
    var records: [BatchRecord] = []
    var number = 1
    for (line, end) in zip(lines, ends) {
      records.append(BatchRecord(operation: line.operation, line: number))
      number += end.utf8.count { $0 == UInt8(ascii: "\n") }
    }
    return records
  }
}

/// A random operation with its members as written.
struct GeneratedLine {
  var operation: BatchOperation
  private var members: [(name: String, value: String)]
  /// The required members of the operation.
  private var needed: [String]
  private var space: String

  var text: String {
    let parts = members.map { "\"\($0.name)\"\(space):\(space)\($0.value)" }
    return "{" + space + parts.joined(separator: "," + space) + space + "}"
  }

  init(using random: inout SeededGenerator) {
    var writer = MemberWriter(random: random)
    operation = writer.operation()
    random = writer.random
    members = writer.members.shuffled(using: &random)
    needed = writer.needed
    space = ["", "", " ", "\t "].randomElement(using: &random)!
  }

  /// Makes one change to the line that invalidates it.
  ///
  /// - Returns: The expected problem.
  mutating func spoil(
    using random: inout SeededGenerator
  ) -> (code: RecordProblem.Code, field: String) {
    let place = members.indices.randomElement(using: &random)!
    let side = members.firstIndex { ["width", "height", "length"].contains($0.name) }
    switch Int.random(in: 0..<(side == nil ? 5 : 6), using: &random) {
    case 0:
      members.append(members[place])
      return (.duplicateMember, members[place].name)
    case 1:
      members.insert(("colour", "{\"a\":[1,\"}\"]}"), at: place)
      return (.unknownMember, "colour")
    case 2:
      let name = needed.randomElement(using: &random)!
      members.removeAll { $0.name == name }
      if ["lengths", "everything"].contains(name) {
        members.removeAll { $0.name == "missing" }
        return (.missingField, "key")
      }
      return (.missingField, ["before", "after"].contains(name) ? "section" : name)
    case 3:
      let name = (needed.filter { $0 != "op" } + ["op"]).first!
      let place = members.firstIndex { $0.name == name }!
      members[place].value = "false"
      if name == "everything" { return (.unknownValue, name) }
      let isArray = ["items", "keys", "lengths", "sections"].contains(name)
      return (isArray ? .notAnArray : .notAString, name)
    case 4:
      let names = needed.filter {
        ![
          "op", "items", "keys", "length", "index", "data", "lengths", "sections", "everything",
        ].contains($0)
      }
      .filter { !["width", "height"].contains($0) }
      let name = names.randomElement(using: &random) ?? "keys"
      // The members of a match other than `sections` have no names.
      guard let place = members.firstIndex(where: { $0.name == name }) else {
        return spoil(using: &random)
      }
      let bad = ["\"\"", "\"a\\n\"", "\"\(String(repeating: "k", count: 256))\""]
        .randomElement(using: &random)!
      members[place].value = name == "keys" ? "[\(bad)]" : bad
      return (.beyondLimit, name == "keys" ? "keys[0]" : name)
    default:
      members[side!].value = ["0", "-4", "1000000.02"].randomElement(using: &random)!
      return (.beyondLimit, members[side!].name)
    }
  }
}

/// Invents an operation and writes its members.
private struct MemberWriter {
  var random: SeededGenerator
  var members: [(name: String, value: String)] = []
  var needed = ["op"]

  init(random: SeededGenerator) { self.random = random }

  mutating func operation() -> BatchOperation {
    switch Int.random(in: 0...15, using: &random) {
    case 0:
      op("insert")
      needed.append("items")
      let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in item() }
      members.append(("items", "[\(items.map(\.text).joined(separator: ","))]"))
      return .insert(items.map(\.item), at: destination(isNeeded: false))
    case 1:
      op("delete")
      return .delete(keys: strings("keys", isNeeded: true), missing: missing())
    case 10: return upsert()
    case 12:
      op("prefer")
      return lengths(layout: string("layout"))
    case 13:
      op("prefer")
      members.append(("everything", "null"))
      needed.append("everything")
      return .resetLengths(layout: string("layout"))
    case 14: return match()
    case 2:
      op("move")
      return .move(key: string("key"), to: destination(isNeeded: true))
    case 3:
      op("resize")
      return .resize(
        key: string("key"), size: Size(width: length("width"), height: length("height")),
        columnSpan: span())
    case 4:
      op("prefer")
      return preference(layout: string("layout"))
    case 8:
      op("data")
      let key = string("key")
      needed.append("data")
      let (data, written) = randomData()
      members.append(("data", written))
      return .data(key: key, data)
    case 5:
      op("insertSection")
      let key = string("key")
      let style = Bool.random(using: &random) ? style() : nil
      guard Bool.random(using: &random) else {
        return .insertSection(key: key, index: nil, style: style)
      }
      return .insertSection(key: key, index: integer("index"), style: style)
    case 15:
      op("style")
      let key = string("section")
      needed.append("style")
      return .style(section: key, style: style())
    case 6:
      op("deleteSection")
      return .deleteSection(key: string("key"), missing: missing())
    case 7:
      op("moveSection")
      let key = string("key")
      needed.append("index")
      return .moveSection(key: key, index: integer("index"))
    case 9:
      op("mark")
      let (source, position) = (string("source"), string("position"))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .mark(source: source, position: position)
      case 1:
        members.append(("after", "null"))
        return .mark(source: source, position: position, after: .none)
      default:
        let (after, written) = randomName()
        members.append(("after", written))
        return .mark(source: source, position: position, after: .position(after))
      }
    default:
      op("invalidate")
      if Bool.random(using: &random) {
        return .invalidateElements(
          layout: string("layout"), kinds: strings("kinds", isNeeded: false),
          sections: Bool.random(using: &random) ? strings("sections", isNeeded: false) : [])
      }
      let everything = [true, false, nil].randomElement(using: &random)!
      if let everything { members.append(("everything", String(everything))) }
      let hasItems = Bool.random(using: &random)
      // One of the three is needed.
      let hasSections = everything == nil && !hasItems || Bool.random(using: &random)
      return .invalidate(
        layout: string("layout"), items: hasItems ? strings("items", isNeeded: false) : [],
        sections: hasSections ? strings("sections", isNeeded: false) : [],
        everything: everything ?? false)
    }
  }

  private mutating func preference(layout: String) -> BatchOperation {
    let owners = ["key", "key", "header", "footer", "layoutHeader", "layoutFooter"]
    let owner = owners.randomElement(using: &random)!
    if owner.hasPrefix("layout") {
      let length = Bool.random(using: &random) ? randomLength() : nil
      members.append((owner, length?.written ?? "null"))
      return .preferSupplementary(
        layout: layout, kind: owner == "layoutHeader" ? .layoutHeader : .layoutFooter,
        section: "", length: length?.value)
    }
    let (key, written) = randomName()
    members.append((owner, written))
    needed.append("length")
    var length: Length?
    if Bool.random(using: &random) {
      length = self.length("length")
    } else {
      members.append(("length", "null"))
    }
    guard owner == "key" else {
      return .preferSupplementary(
        layout: layout, kind: owner == "header" ? .header : .footer, section: key, length: length)
    }
    needed.append("key")
    let across = length != nil && Bool.random(using: &random) ? randomLength() : nil
    if let across { members.append(("crossLength", across.written)) }
    return .prefer(layout: layout, key: key, length: length, crossLength: across?.value)
  }

  private mutating func upsert() -> BatchOperation {
    op("upsert")
    needed.append("items")
    let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in item() }
    members.append(("items", "[\(items.map(\.text).joined(separator: ","))]"))
    let moving = [true, false, nil].randomElement(using: &random)!
    if let moving { members.append(("move", String(moving))) }
    return .upsert(
      items.map(\.upserted), section: string("section", isNeeded: false), moving: moving ?? false)
  }

  private mutating func lengths(layout: String) -> BatchOperation {
    needed.append("lengths")
    var lengths: [MeasuredLength] = []
    var entries: [String] = []
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let key = randomName()
      var parts = [key.written]
      var measured = MeasuredLength(key: key.text, length: nil)
      if Bool.random(using: &random) {
        let length = randomLength()
        measured.length = length.value
        parts.append(length.written)
        if Bool.random(using: &random) {
          let across = randomLength()
          measured.crossLength = across.value
          parts.append(across.written)
        }
      } else {
        parts += Bool.random(using: &random) ? ["null"] : ["null", "null"]
      }
      lengths.append(measured)
      entries.append("[\(parts.joined(separator: ", "))]")
    }
    members.append(("lengths", "[\(entries.joined(separator: " ,"))]"))
    return .preferLengths(layout: layout, lengths, missing: missing())
  }

  private mutating func match() -> BatchOperation {
    op("match")
    needed.append("sections")
    var sections: [MatchedSection] = []
    var texts: [String] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let key = randomName()
      let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in item() }
      let style = Bool.random(using: &random) ? randomName() : nil
      sections.append(MatchedSection(key: key.text, style: style?.text, items: items.map(\.item)))
      texts.append(
        "{\"items\": [\(items.map(\.text).joined(separator: ", "))], \"key\":\(key.written)"
          + (style.map { ",\"style\":\($0.written)" } ?? "") + "}")
    }
    members.append(("sections", "[\(texts.joined(separator: ","))]"))
    let missing = [MissingItems.remove, .keep, nil].randomElement(using: &random)!
    if let missing { members.append(("missing", "\"\(missing.rawValue)\"")) }
    return .match(sections, missing: missing ?? .remove)
  }

  private mutating func style() -> String? {
    let (style, written) = randomName()
    let isNull = Bool.random(using: &random)
    members.append(("style", isNull ? "null" : written))
    return isNull ? nil : style
  }

  private mutating func missing() -> MissingKeys {
    guard Bool.random(using: &random) else { return .fail }
    let missing = MissingKeys.allCases.randomElement(using: &random)!
    members.append(("missing", "\"\(missing.rawValue)\""))
    return missing
  }

  private mutating func op(_ name: String) { members.append(("op", "\"\(name)\"")) }

  private mutating func destination(isNeeded: Bool) -> ItemDestination {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .end(section: string("section", isNeeded: isNeeded))
    case 1:
      let section = string("section")
      return .index(integer("index"), section: section)
    case 2: return .before(string("before", isNeeded: isNeeded))
    default: return .after(string("after", isNeeded: isNeeded))
    }
  }

  private mutating func string(_ name: String, isNeeded: Bool = true) -> String {
    let (text, written) = randomName()
    if isNeeded { needed.append(name) }
    members.append((name, written))
    return text
  }

  private mutating func strings(_ name: String, isNeeded: Bool) -> [String] {
    let strings = (0..<Int.random(in: 0...4, using: &random)).map { _ in randomName() }
    if isNeeded { needed.append(name) }
    members.append((name, "[\(strings.map(\.written).joined(separator: " ,"))]"))
    return strings.map(\.text)
  }

  private mutating func length(_ name: String) -> Length {
    let (value, written) = randomLength()
    needed.append(name)
    members.append((name, written))
    return value
  }

  private mutating func integer(_ name: String) -> Int {
    let (value, written) = randomInteger()
    members.append((name, written))
    return value
  }

  private mutating func span() -> Int? {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return nil
    case 1:
      members.append(("span", "null"))
      return nil
    default: return integer("span")
    }
  }

  private mutating func item() -> (item: Item, upserted: UpsertedItem, text: String) {
    let key = randomName()
    let width = randomLength()
    let height = randomLength()
    var span: (value: Int, written: String)?
    if Bool.random(using: &random) { span = randomInteger(in: 0...Limits.columnSpanMax) }
    var parts = [
      "\"key\":\(key.written)", "\"width\": \(width.written)", "\"\\u0068eight\":\(height.written)",
    ]
    if let span { parts.append("\"span\":\(span.written)") }
    let data = Bool.random(using: &random) ? randomData() : nil
    if let data { parts.append("\"data\": \(data.written)") }
    parts.shuffle(using: &random)
    let item = try! Item(
      key: key.text, width: width.value.points, height: height.value.points,
      columnSpan: span?.value ?? 1, data: data?.data)
    let upserted = try! UpsertedItem(
      key: key.text, width: width.value.points, height: height.value.points,
      columnSpan: span?.value,
      data: data.map { $0.data.map { .set($0) } ?? .remove } ?? .none)
    return (item, upserted, "{\(parts.joined(separator: ", "))}")
  }

  // MARK: - Values

  /// A string that may be a key or a name.
  private mutating func randomName() -> (text: String, written: String) {
    while true {
      let name = randomString()
      if !name.text.isEmpty && !name.text.contains("\n") { return name }
    }
  }

  private mutating func randomString() -> (text: String, written: String) {
    let alphabet: [(String, String)] = [
      ("a", "a"), ("b", "\\u0062"), (" ", " "), ("é", "é"), ("é", "\\u00E9"), ("😀", "😀"),
      ("😀", "\\ud83d\\uDE00"), ("\"", "\\\""), ("\\", "\\\\"), ("/", "\\/"), ("\n", "\\n"),
      ("]", "]"), ("}", "}"), (",", ","), ("\u{2028}", "\u{2028}"), ("null", "null"),
    ]
    let letters = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      alphabet.randomElement(using: &random)!
    }
    return (letters.map(\.0).joined(), "\"\(letters.map(\.1).joined())\"")
  }

  /// Data, or null.
  private mutating func randomData() -> (data: ItemData?, written: String) {
    if Int.random(in: 0..<4, using: &random) == 0 { return (nil, "null") }
    var members: [(name: String, value: String)] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      members.append((randomString().written, randomString().written))
    }
    // White space between values is removed.
    let written = members.map { "\($0.name) :\t\($0.value)" }.joined(separator: " , ")
    let kept = members.map { "\($0.name):\($0.value)" }.joined(separator: ",")
    let data = try! ItemData(json: "{\(kept)}")
    precondition(data.json == "{\(kept)}")
    return (data, "{ \(written)}")
  }

  /// A length that an item may have.
  private mutating func randomLength() -> (value: Length, written: String) {
    let length = Length(units: Int64.random(in: 1...Limits.sideMax.units, using: &random))
    let points = length.points
    let whole = max(1, points.rounded())
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: (length, "\(points)")
    case 1: (length, "\(points)e0")
    default: (Length(points: whole)!, "\(Int(whole))")
    }
  }

  private mutating func randomInteger(
    in range: ClosedRange<Int> = -3...70_000
  ) -> (value: Int, written: String) {
    let value = Int.random(in: range, using: &random)
    let forms = ["\(value)", "\(value).0", "\(value)E+0", "\(value)0e-1"]
    return (value, forms.randomElement(using: &random)!)
  }
}
