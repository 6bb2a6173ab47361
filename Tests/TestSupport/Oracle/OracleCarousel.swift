/// Items in one line across the main axis, which may be longer than the container.
///
/// Spans have no effect.
struct OracleCarousel {
  private enum Alignment: String { case center, top, bottom }
  private enum Scrolling: String {
    case continuous, continuousGroupLeadingBoundary, paging, groupPaging, groupPagingCentered
  }
  private enum Side: Equatable {
    case natural, aspect
    case fixed(Int64)
  }

  private let leading: Int64
  private let trailing: Int64
  private let width: Side
  private let length: Side
  private let spacing: Int64
  private let alignment: Alignment
  private let scrolling: Scrolling

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    leading = inset.crossLeading
    trailing = inset.crossTrailing
    let between = try inset.lineLength(in: container, path: section.path)
    length = try Self.side("itemLength", of: section)
    if let object = try? section.object("itemWidth"), object.has("minus") {
      width = .fixed(try section.positiveLength("itemWidth", in: container) ?? 1)
    } else if case .object? = section.value("itemWidth") {
      width = .fixed(try Self.fraction(section.object("itemWidth")!, of: between))
    } else {
      width = try Self.side("itemWidth", of: section)
    }
    if width == .aspect && length == .aspect {
      throw OracleRefusal(.conflictingMembers, section.subject("itemWidth"))
    }
    spacing = try section.length("spacing", in: container) ?? 0
    alignment = try section.choice("crossAlignment", Alignment.self) ?? .center
    scrolling = try section.choice("scrolling", Scrolling.self) ?? .continuous
  }

  private static func side(
    _ key: String, of section: OracleObject
  ) throws(OracleRefusal) -> Side {
    if case .string(let word)? = section.value(key) {
      switch word {
      case "natural": return .natural
      case "aspect": return .aspect
      default: throw OracleRefusal(.outOfRange, section.subject(key))
      }
    }
    return try section.positiveLength(key).map { .fixed($0) } ?? .natural
  }

  /// - Parameter between: Units between the insets.
  private static func fraction(
    _ object: OracleObject, of between: Int64
  ) throws(OracleRefusal) -> Int64 {
    try object.refuseMembers(otherThan: ["fraction", "peek"])
    guard let fraction = try object.number("fraction") else {
      throw OracleRefusal(.missingMember, object.subject("fraction"))
    }
    guard fraction > 0, fraction <= 100 else {
      throw OracleRefusal(.outOfRange, object.subject("fraction"))
    }
    let peek = try object.length("peek") ?? 0
    guard between - peek >= Units.perPoint else {
      throw OracleRefusal(.outOfRange, object.subject("peek"))
    }
    return max(1, Units.floor(units: Double(between - peek) * fraction))
  }

  /// Whether a measured length across is used.
  var takesPreferredCrossLengths: Bool { if case .fixed = width { false } else { true } }

  func place(_ items: [OracleNaturalItem]) throws(OracleRefusal) -> OraclePlacement {
    var placement = OraclePlacement()
    var next = leading
    for item in items {
      let lengthOfRule = side(length, item.mainLength, from: width, item.crossLength)
      let widthOfRule = side(width, item.crossLength, from: length, item.mainLength)
      let measured = takesPreferredCrossLengths ? item.preferredCrossLength : nil
      placement.cells.append(
        OraclePlacement.Cell(
          main: 0, mainLength: item.preferredLength ?? lengthOfRule, cross: next,
          crossLength: measured ?? widthOfRule))
      next += placement.cells.last!.crossLength + spacing
      guard next - spacing - leading <= OracleLimits.contentLengthMax else {
        throw OracleRefusal(.contentTooLong, "section")
      }
    }
    let end = items.isEmpty ? leading : next - spacing
    placement.scrollLength = end + trailing
    placement.length = placement.cells.map(\.mainLength).max() ?? 0
    for index in placement.cells.indices {
      let leftOver = placement.length - placement.cells[index].mainLength
      switch alignment {
      case .top: break
      case .center: placement.cells[index].main = leftOver / 2
      case .bottom: placement.cells[index].main = leftOver
      }
    }
    return placement
  }

  /// One side of an item by the rule, without measured lengths.
  private func side(
    _ side: Side, _ natural: Int64, from other: Side, _ otherNatural: Int64
  ) -> Int64 {
    switch side {
    case .natural: return natural
    case .fixed(let length): return length
    case .aspect:
      let given = if case .fixed(let length) = other { length } else { otherNatural }
      return max(1, given * natural / otherNatural)
    }
  }
}
