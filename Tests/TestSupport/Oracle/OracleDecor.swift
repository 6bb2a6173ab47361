/// The badges and decorations of a section; all lengths in units.
public struct OracleDecor {
  /// An element on the cells that match a condition, its members by axis.
  struct Badge {
    var kind: String
    /// -1 at the leading edge along an axis, 0 in the middle, 1 at the trailing edge.
    var main: Int
    var cross: Int
    var mainLength: Int64
    var crossLength: Int64
    var mainOffset: Int64
    var crossOffset: Int64
    var condition: OracleCondition?
  }

  struct Decoration {
    enum Place: Equatable {
      case section, content
      case run(Int)
      case separator(Int64)
    }

    var kind: String
    var place: Place
    var inset: OracleInset
    var zIndex: Int
  }

  private(set) var badges: [Badge] = []
  private(set) var decorations: [Decoration] = []

  private static let lengthMax: Int64 = 64_000
  private static let runKinds: Set<String> = ["flow", "justified", "grid"]

  /// Whether random configurations use the kind for elements of cells.
  public static func isOfCell(_ kind: String) -> Bool { ["flag", "pin", "rule"].contains(kind) }

  var kinds: [String] { badges.map(\.kind) + decorations.map(\.kind) }

  init(
    _ section: OracleObject, background: OracleBackground?, in container: OracleContainer
  ) throws(OracleRefusal) {
    for object in try section.objects("badges") { badges.append(try Self.badge(object, container)) }
    let sectionKind = try section.string("kind") ?? ""
    for object in try section.objects("decorations") {
      let decoration = try Self.decoration(object, container)
      // Other kinds ignore runs.
      if case .run = decoration.place, !Self.runKinds.contains(sectionKind) { continue }
      decorations.append(decoration)
    }
    let names = kinds + ["header", "footer", "layoutHeader", "layoutFooter"]
    guard badges.count <= 16, decorations.count <= 16, Set(names).count == names.count,
      background.map({ !kinds.contains($0.kind) }) ?? true
    else { throw OracleRefusal(.outOfRange, section.subject("badges")) }
  }

  private static func badge(
    _ object: OracleObject, _ container: OracleContainer
  ) throws(OracleRefusal) -> Badge {
    try object.refuseMembers(otherThan: ["kind", "anchor", "size", "offset", "when"])
    guard let kind = try object.string("kind"), let size = try object.object("size"),
      let width = try size.positiveLength("width"), let height = try size.positiveLength("height")
    else { throw OracleRefusal(.missingMember, object.subject("size")) }
    let anchor = try object.string("anchor") ?? "topTrailing"
    let name = anchor.lowercased()
    let across = name.hasSuffix("leading") ? -1 : name.hasSuffix("trailing") ? 1 : 0
    let down = name.hasPrefix("top") ? -1 : name.hasPrefix("bottom") ? 1 : 0
    let offset = try object.object("offset")
    let (x, y) = (try offset?.signedUnits("x") ?? 0, try offset?.signedUnits("y") ?? 0)
    guard max(width, height, abs(x), abs(y)) <= lengthMax else {
      throw OracleRefusal(.outOfRange, object.subject("size"))
    }
    let condition = try object.string("when").map(OracleCondition.init)
    return container.isVertical
      ? Badge(
        kind: kind, main: down, cross: across, mainLength: height, crossLength: width,
        mainOffset: y, crossOffset: x, condition: condition)
      : Badge(
        kind: kind, main: across, cross: down, mainLength: width, crossLength: height,
        mainOffset: x, crossOffset: y, condition: condition)
  }

  private static func decoration(
    _ object: OracleObject, _ container: OracleContainer
  ) throws(OracleRefusal) -> Decoration {
    try object.refuseMembers(otherThan: ["kind", "place", "count", "length", "inset", "zIndex"])
    guard let kind = try object.string("kind") else {
      throw OracleRefusal(.missingMember, object.subject("kind"))
    }
    let place: Decoration.Place
    switch try object.string("place") {
    case "section": place = .section
    case "content": place = .content
    case "run": place = .run(try object.wholeNumber("count") ?? 0)
    case "separator": place = .separator(try object.positiveLength("length") ?? 0)
    default: throw OracleRefusal(.outOfRange, object.subject("place"))
    }
    let isSeparator = if case .separator = place { true } else { false }
    return Decoration(
      kind: kind, place: place, inset: try OracleInset(object.object("inset"), in: container),
      zIndex: try object.wholeNumber("zIndex") ?? (isSeparator ? 0 : -1))
  }
}

/// A condition of a badge: alternatives of conjunctions of terms, which may be negated, without
/// parentheses.
struct OracleCondition {
  private struct Term {
    var isNegated: Bool
    var field: String
    var comparison: String
    var value: String
  }

  private var alternatives: [[Term]] = []

  init(_ text: String) {
    var (terms, words): ([Term], [String]) = ([], [])
    func term() -> Term {
      let rest = words.first == "NOT" ? Array(words.dropFirst()) : words
      return Term(
        isNegated: words.first == "NOT", field: rest[0],
        comparison: rest[1..<(rest.count - 1)].joined(separator: " "), value: rest[rest.count - 1])
    }
    for word in text.split(separator: " ").map(String.init) + ["OR"] {
      guard word == "AND" || word == "OR" else {
        words.append(word)
        continue
      }
      terms.append(term())
      words = []
      if word == "OR" {
        alternatives.append(terms)
        terms = []
      }
    }
  }

  /// - Parameter number: The member n of the item's data.
  func matches(_ item: OracleItem, number: Double?) -> Bool {
    alternatives.contains { terms in
      terms.allSatisfy { term in
        let isTrue =
          switch term.field {
          case "width": Self.compare(Units.whole(item.width), term)
          case "height": Self.compare(Units.whole(item.height), term)
          case "n": number.map { Self.compare($0, term) } ?? false
          default: item.key.utf8.starts(with: term.value.utf8)
          }
        return isTrue != term.isNegated
      }
    }
  }

  private static func compare(_ number: Double, _ term: Term) -> Bool {
    let value = Double(term.value) ?? .nan
    return switch term.comparison {
    case "=": number == value
    case "<": number < value
    default: number >= value
    }
  }
}

extension Units {
  /// A length in points after rounding down to units.
  fileprivate static func whole(_ points: Double) -> Double { Double(floor(points: points)) / 64 }
}

extension OracleObject {
  /// The objects of a list; none if it is absent.
  func objects(_ key: String) throws(OracleRefusal) -> [OracleObject] {
    guard let value = value(key) else { return [] }
    guard case .array(let entries) = value else { throw OracleRefusal(.wrongType, subject(key)) }
    var objects: [OracleObject] = []
    for (index, entry) in entries.enumerated() {
      objects.append(try OracleObject(entry, path: "\(subject(key)).\(index)"))
    }
    return objects
  }

  fileprivate func signedUnits(_ key: String) throws(OracleRefusal) -> Int64? {
    try number(key).map { Int64(($0 * 64).rounded(.down)) }
  }
}

extension OraclePlacedSection {
  /// The decorations of the section itself and of its runs.
  func decorationElements(_ projection: OracleProjection) -> [OracleElement] {
    let bodyStart = start + settings.top.length
    let contentStart = bodyStart + settings.inset.mainLeading
    return settings.decor.decorations.flatMap { decoration in
      switch decoration.place {
      case .separator: return [] as [OracleElement]
      case .section:
        return [
          element(decoration, main: start...end, cross: 0...projection.crossLength, projection)
        ]
      case .content:
        return [
          element(
            decoration, main: bodyStart...(bodyStart + bodyLength),
            cross: 0...projection.crossLength, projection)
        ]
      case .run(let count):
        let cells = zip(section.items, placement.cells).filter { $0.0.visibility != .collapsed }
          .map(\.1)
        return stride(from: 0, to: cells.count, by: count).map { first in
          let run = cells[first..<min(first + count, cells.count)]
          let (main, cross) = (run.map(\.main), run.map(\.cross))
          return element(
            decoration,
            main: (contentStart + main.min()!)...(contentStart
              + run.map { $0.main + $0.mainLength }.max()!),
            cross: cross.min()!...run.map { $0.cross + $0.crossLength }.max()!, projection,
            item: first / count)
        }
      }
    }
  }

  /// The badges and separators of the cells that are shown, cell by cell.
  ///
  /// - Parameter scrolled: The units by which a carousel is scrolled.
  func cellElements(
    _ projection: OracleProjection, scrolled: Int64, numbers: [[UInt8]: Double]
  ) -> [OracleElement] {
    if settings.decor.kinds.isEmpty { return [] }
    let contentStart = start + settings.top.length + settings.inset.mainLeading
    var elements: [OracleElement] = []
    for (item, cell) in placement.cells.enumerated()
    where !cell.isHidden && cell.mainLength > 0 && cell.crossLength > 0 {
      let (main, cross) = (contentStart + cell.main, cell.cross - scrolled)
      for badge in settings.decor.badges {
        let number = numbers[Array(section.items[item].key.utf8)]
        if badge.condition?.matches(section.items[item], number: number) == false { continue }
        func place(_ side: Int, _ start: Int64, _ room: Int64, _ length: Int64) -> Int64 {
          let free = room - length
          return start + [0, Int64((Double(free) / 2).rounded(.down)), free][side + 1]
        }
        let frame = projection.frame(
          main: place(badge.main, main, cell.mainLength, badge.mainLength) + badge.mainOffset,
          mainLength: badge.mainLength,
          cross: place(badge.cross, cross, cell.crossLength, badge.crossLength)
            + badge.crossOffset,
          crossLength: badge.crossLength)
        elements.append(
          OracleElement(
            category: .supplementary, kind: badge.kind, section: index, sectionKey: section.key,
            item: item, frame: frame))
      }
      for decoration in settings.decor.decorations {
        guard case .separator(let length) = decoration.place, cell.main > 0 else { continue }
        let (leading, trailing) = (decoration.inset.crossLeading, decoration.inset.crossTrailing)
        elements.append(
          OracleElement(
            category: .decoration, kind: decoration.kind, section: index, sectionKey: section.key,
            item: item,
            frame: projection.frame(
              main: main - length, mainLength: length, cross: cross + leading,
              crossLength: max(0, cell.crossLength - leading - trailing)),
            zIndex: decoration.zIndex))
      }
    }
    return elements
  }

  private func element(
    _ decoration: OracleDecor.Decoration, main: ClosedRange<Int64>, cross: ClosedRange<Int64>,
    _ projection: OracleProjection, item: Int? = nil
  ) -> OracleElement {
    let inset = decoration.inset
    return OracleElement(
      category: .decoration, kind: decoration.kind, section: index, sectionKey: section.key,
      item: item,
      frame: projection.frame(
        main: main.lowerBound + inset.mainLeading,
        mainLength: max(
          0, main.upperBound - main.lowerBound - inset.mainLeading - inset.mainTrailing),
        cross: cross.lowerBound + inset.crossLeading,
        crossLength: max(
          0, cross.upperBound - cross.lowerBound - inset.crossLeading - inset.crossTrailing)),
      zIndex: decoration.zIndex)
  }
}
