import LayoutCache
import LayoutCacheTestSupport
import TestSupport

/// A layout for calls with extreme numbers: of one kind, in one direction, with one effect, and of
/// a feed or an empty dataset.
struct ExtremePlace: CustomStringConvertible {
  let description: String
  let cache: LayoutCache
  let layout: LayoutID
  /// A snapshot of the layout, and one of another layout of the dataset.
  let snapshot: LayoutSnapshot
  let other: LayoutSnapshot

  /// Keys of a dataset that has items.
  var hasItems: Bool { layout.dataset == "feed" }

  static let kinds: [KindExample] =
    KindExample.every + [
      KindExample(name: "custom", members: #""kind":"curious","options":{"index":true}"#),
      KindExample(
        name: "custom waterfall", members: #""kind":"captioned","options":{"caption":20}"#),
      pages,
    ]
  /// The only kind with turning pages.
  private static let pages = KindExample(
    name: "pages", members: #""kind":"grid","columns":1,"rowLength":150"#)
  private static let frame =
    #","header":50,"footer":20,"pinsHeader":true,"pinsFooter":true,"inset":{"top":4,"left":3,"bottom":2,"right":1},"background":{"kind":"card"},"supplementary":[{"kind":"filter","length":9,"pins":true},{"kind":"total","edge":"bottom","length":7,"pins":true}]"#
  private static let sections = [
    OracleSection.mixed("a", count: 9), OracleSection("empty", sizes: []),
    OracleSection("short", sizes: [(30, 4)]), OracleSection.mixed("b", count: 7),
  ]
  private static let directions = [
    "", #","layoutDirection":"rightToLeft""#, #","scrollDirection":"horizontal""#,
    #","scrollDirection":"horizontal","layoutDirection":"rightToLeft""#,
  ]
  private static let effects = [
    "", #","effect":{"kind":"scale"}"#, #","effect":{"kind":"coverStack"}"#,
    #","effect":{"kind":"rotary"}"#,
  ]
  private static let snaps = ["none", "itemLeading", "itemCenter", "page"]

  /// The layouts of a kind, each in a separate database.
  ///
  /// - Parameter isChosen: Whether to create the layout of a number, from 0.
  static func all(
    _ kind: KindExample, in directory: TemporaryDirectory,
    where isChosen: (Int) -> Bool = { _ in true }
  ) throws -> [ExtremePlace] {
    var places: [ExtremePlace] = []
    var count = 0
    let isPages = kind.name == pages.name
    for (index, direction) in directions.enumerated() {
      let length = direction.contains("horizontal") ? 200 : 150
      let members = isPages ? kind.members.replacing("150", with: "\(length)") : kind.members
      let effects = isPages ? [#","effect":{"kind":"pageTurn"}"#] : effects
      for (number, effect) in effects.enumerated() {
        // Each snap with each effect, in one direction or another.
        let snap = snaps[(index + number) % snaps.count]
        let text = KindExample(name: kind.name, members: members).configuration(
          extra: frame,
          rest: direction + effect + #","snap":"\#(snap)","header":{"length":30,"pins":true}"#)
        for dataset in ["feed", "nothing"] where dataset == "feed" || number == index % 4 {
          count += 1
          guard isChosen(count - 1) else { continue }
          places.append(
            try ExtremePlace(dataset, text, path: directory.path(of: "\(count).sqlite")))
        }
      }
    }
    return places
  }

  private init(_ dataset: String, _ configuration: String, path: String) throws {
    description = "\(dataset), \(configuration)"
    cache = try LayoutCache(
      path: path, sectionLayouts: TestKinds.all, waterfallLayouts: [CaptionedKind.self])
    layout = LayoutID("layout", of: dataset)
    _ = try cache.importItems(into: dataset, mode: .create) { importer in
      for section in dataset == "feed" ? Self.sections : [] {
        try importer.addSection(section.key)
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
    try cache.setLayout(layout, to: ConfigurationText.decode(configuration))
    let wide = LayoutID("wide", of: dataset)
    try cache.setLayout(wide, to: ConfigurationText.decode(#"{"container":{"width":600}}"#))
    snapshot = try cache.read(layout) { $0 }
    other = try cache.read(wide) { $0 }
  }
}
