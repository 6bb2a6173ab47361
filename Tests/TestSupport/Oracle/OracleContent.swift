/// A section's kind and its settings: the only place that distinguishes kinds.
enum OracleContent {
  case waterfall(OracleWaterfall)
  case flow(OracleFlow)
  case grid(OracleGrid)
  case justified(OracleJustified)
  case carousel(OracleCarousel)
  case circle(OracleCircle)
  case custom(OracleCustom)

  /// Members that only some kinds read. A section may have members of another kind, since an
  /// override can change the kind alone.
  static let members: Set<String> = [
    "columns", "minimumColumnWidth", "columnSpacing", "lineSpacing",
    "itemLength", "minimumLength", "maximumLength", "tolerance", "assignment", "maximumSkew",
    "ties",
    "itemSize", "lineLength", "minimumInteritemSpacing", "minimumLineSpacing", "lineAlignment",
    "crossAlignment",
    "rowLength",
    "targetRowLength", "spacing", "lastRow", "maximumRowLength",
    "itemWidth", "scrolling",
    "options",
  ]

  /// Pairs of exclusive members: an override that has one of them removes the other.
  static let conflicts = [("columns", "minimumColumnWidth"), ("itemSize", "lineLength")]

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    switch try section.string("kind") {
    case "waterfall"?:
      self = .waterfall(try OracleWaterfall(section, inset: inset, container: container))
    case "flow"?:
      self = .flow(try OracleFlow(section, inset: inset, container: container))
    case "grid"?:
      self = .grid(try OracleGrid(section, inset: inset, container: container))
    case "justified"?:
      self = .justified(try OracleJustified(section, inset: inset, container: container))
    case "carousel"?:
      self = .carousel(try OracleCarousel(section, inset: inset, container: container))
    case "circle"?:
      self = .circle(try OracleCircle(section, container: container))
    case nil: throw OracleRefusal(.missingMember, section.subject("kind"))
    case let name?:
      guard let kind = OracleCustom.Kind(rawValue: name) else {
        throw OracleRefusal(.unsupported, section.subject("kind"))
      }
      self = .custom(try OracleCustom(kind, section, inset: inset, container: container))
    }
  }

  /// The waterfall whose items keep their columns; nil for all other kinds.
  var stableWaterfall: OracleWaterfall? {
    guard case .waterfall(let waterfall) = self, waterfall.isStable else { return nil }
    return waterfall
  }

  /// Whether a measured length of an item is used.
  var takesPreferredLengths: Bool {
    switch self {
    case .waterfall, .carousel, .custom: true
    case .flow(let flow): flow.takesPreferredLengths
    case .grid, .justified, .circle: false
    }
  }

  /// Whether a measured length across is used too.
  var takesPreferredCrossLengths: Bool {
    switch self {
    case .custom: true
    case .flow(let flow): flow.takesPreferredLengths
    case .carousel(let carousel): carousel.takesPreferredCrossLengths
    case .waterfall, .grid, .justified, .circle: false
    }
  }

  /// Whether every cell has its own line, as long as the container.
  func isPages(of container: OracleContainer) -> Bool {
    guard case .grid(let grid) = self else { return false }
    return grid.isPages(of: container)
  }

  func place(_ items: [OracleNaturalItem]) throws(OracleRefusal) -> OraclePlacement {
    switch self {
    case .waterfall(let waterfall): try waterfall.place(items)
    case .flow(let flow): flow.place(items)
    case .grid(let grid): grid.place(items)
    case .justified(let justified): try justified.place(items)
    case .carousel(let carousel): try carousel.place(items)
    case .circle(let circle): circle.place(items)
    case .custom(let custom): custom.place(items)
    }
  }
}
