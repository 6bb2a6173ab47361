/// Builds feeds: empty and full sections, odd sizes, spans and keys.
///
/// The keys that one value generates are unique by bytes; a few differ only in Unicode
/// normalisation.
public struct RandomFeed {
  public var sectionCountMax: Int
  public var itemCountMax: Int
  private var keyCount = 0
  /// The decomposed form of the last key, to be returned next.
  private var twin: String?

  /// - Parameters:
  ///   - sectionCountMax: Feeds have 0 to this many sections.
  ///   - itemCountMax: Sections have 0 to this many items.
  public init(sectionCountMax: Int = 6, itemCountMax: Int = 60) {
    (self.sectionCountMax, self.itemCountMax) = (sectionCountMax, itemCountMax)
  }

  public mutating func sections(using generator: inout SeededGenerator) -> [OracleSection] {
    let count = Int.random(in: 0...sectionCountMax, using: &generator)
    return (0..<count).map { _ in section(using: &generator) }
  }

  public mutating func section(using generator: inout SeededGenerator) -> OracleSection {
    let count = generator.oneIn(5) ? 0 : Int.random(in: 0...itemCountMax, using: &generator)
    let key = key(prefix: "s", using: &generator)
    var items = (0..<count).map { _ in item(using: &generator) }
    if generator.oneIn(6) { equalise(&items, using: &generator) }
    let style = generator.oneIn(3) ? RandomStyle.name(using: &generator) : nil
    return OracleSection(key: key, style: style, items: items)
  }

  /// Gives all items one size or one of two, as a camera's photos have.
  private func equalise(_ items: inout [OracleItem], using generator: inout SeededGenerator) {
    let sizes = [Self.size(using: &generator), Self.size(using: &generator)]
    let isMixed = generator.oneIn(2)
    for item in items.indices {
      let size = isMixed ? sizes.randomElement(using: &generator)! : sizes[0]
      (items[item].width, items[item].height) = (size.width, size.height)
    }
  }

  public mutating func item(using generator: inout SeededGenerator) -> OracleItem {
    let size = Self.size(using: &generator)
    return OracleItem(
      key: key(prefix: "i", using: &generator), width: size.width, height: size.height,
      span: Self.span(using: &generator))
  }

  /// A natural size in points; height / width stays within 1/4000 to 4000, so
  /// that a few thousand items keep within the content's limit in any container.
  public static func size(
    using generator: inout SeededGenerator
  ) -> (width: Double, height: Double) {
    switch Int.random(in: 0..<24, using: &generator) {
    case 0: return (1, Double(Int.random(in: 1...4000, using: &generator)))
    case 1: return (Double(Int.random(in: 1...600, using: &generator)), 1)
    case 2: return (4000, 1)
    case 3: return (1_000_000, 1_000_000)
    case 4:
      // Whole units, down to a single one.
      let width = Int.random(in: 1...640, using: &generator)
      let height = Int.random(in: 1...640, using: &generator)
      return (Double(width) / 64, Double(height) / 64)
    case 5...8:
      let width = Int.random(in: 64...64_000, using: &generator)
      let height = Int.random(in: 64...64_000, using: &generator)
      return (Double(width) / 64, Double(height) / 64)
    case 9:
      // Not a multiple of 1/64.
      return (
        Double.random(in: 0.5...1000, using: &generator),
        Double.random(in: 0.5...1000, using: &generator)
      )
    case 10...13: return (4, 3)
    case 14: return generator.oneIn(2) ? (1, 4000) : (600, 1)
    case 15, 16:
      // Wider or higher than most containers.
      let long = Double(Int.random(in: 1500...20_000, using: &generator))
      let short = Double(Int.random(in: 50...400, using: &generator))
      return generator.oneIn(2) ? (long, short) : (short, long)
    default:
      return (
        Double(Int.random(in: 1...2000, using: &generator)),
        Double(Int.random(in: 1...2000, using: &generator))
      )
    }
  }

  /// Mostly 1; 0 for all columns, and more than any layout has.
  public static func span(using generator: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: 0
    case 1: 1000
    case 2...4: Int.random(in: 2...4, using: &generator)
    default: 1
    }
  }

  /// A key that this value has not generated before.
  public mutating func key(prefix: String, using generator: inout SeededGenerator) -> String {
    if let twin {
      self.twin = nil
      return twin
    }
    keyCount += 1
    if generator.oneIn(25) {
      twin = "\(prefix)\(keyCount)-e\u{301}"
      return "\(prefix)\(keyCount)-\u{E9}"
    }
    let endings = [
      "ß", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "العربية", "日本",
      " \"q\" \\ /", ",;|", String(repeating: "k", count: 200),
    ]
    let ending = generator.oneIn(3) ? endings.randomElement(using: &generator)! : ""
    return "\(prefix)\(keyCount)\(ending)"
  }
}
