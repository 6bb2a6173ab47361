import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// The measured cost of a feed of many items on this machine.
struct ManyItemsTrial {
  static let dataset = "many"

  var itemCount: Int
  var importDuration: Duration
  var layOutDuration: Duration
  var bytesPerItem: Double
  /// Medians: the query of a visible rectangle at a random position, with the number of nodes
  /// read, and a durable change of one item's size.
  var query: Duration
  var queryNodes: Int
  var edit: Duration

  /// Imports items of random heights, 1,000 per section, lays them out for a phone, and queries
  /// and edits them at random positions.
  init(in cache: LayoutCache, itemCount: Int) throws {
    self.itemCount = itemCount
    var random = SplitMix()
    let importStart = ContinuousClock.now
    _ = try cache.importItems(into: Self.dataset, mode: .replace) { importer in
      for number in 0..<itemCount {
        let item = try Item(
          key: Self.key(number), width: 200, height: Double(100 + random.next() % 400))
        try importer.add(item, section: "part \(number / 1000 + 1)")
      }
    }
    importDuration = importStart.duration(to: .now)
    let layout = LayoutID("phone", of: Self.dataset)
    let container = Size(width: 390, height: 844)
    try cache.setLayout(layout, to: feedConfiguration(container, columns: 2))
    let layOutStart = ContinuousClock.now
    try cache.prepare(layout)
    layOutDuration = layOutStart.duration(to: .now)
    let inspection = try cache.inspect(dataset: Self.dataset)
    bytesPerItem =
      (inspection.bytesPerItem ?? 0) + (inspection.layouts.first?.bytesPerItem ?? 0)

    let length = try cache.read(layout) { $0.contentSize.height }
    var queries: [(duration: Duration, nodes: Int)] = []
    for _ in 0..<1000 {
      let y = Length(units: Int64(random.next() % UInt64(max(1, length.units))))
      let rect = Rect(origin: Point(x: .zero, y: y), size: container)
      queries.append(
        try cache.read(layout) { snapshot in
          let start = ContinuousClock.now
          let page = try snapshot.elements(in: rect)
          return (start.duration(to: .now), page.work.nodesVisited)
        })
    }
    query = queries.map(\.duration).sorted()[queries.count / 2]
    queryNodes = queries.map(\.nodes).sorted()[queries.count / 2]
    var edits: [Duration] = []
    for _ in 0..<200 {
      let key = Self.key(Int(random.next() % UInt64(itemCount)))
      let size = Size(width: 200, height: .points(Double(100 + random.next() % 400)))
      let start = ContinuousClock.now
      _ = try cache.update(Self.dataset, with: [.resize(key: key, size: size)])
      edits.append(start.duration(to: .now))
    }
    edit = edits.sorted()[edits.count / 2]
  }

  private static func key(_ number: Int) -> String { "item-\(number)" }

  /// The fields printed for the measurement.
  static var fields: [AnswerField<Self>] {
    [
      AnswerField("items", \.itemCount),
      AnswerField(
        "importMicroseconds", as: "imported in", \.importDuration.wholeMicroseconds,
        shown: \.importDuration.inMilliseconds),
      AnswerField(
        "layOutMicroseconds", as: "laid out in", \.layOutDuration.wholeMicroseconds,
        shown: \.layOutDuration.inMilliseconds),
      AnswerField("bytesPerItem", as: "bytes/item", \.bytesPerItem),
      AnswerField(
        "queryMicroseconds", as: "visible rect", \.query.wholeMicroseconds,
        shown: { "\($0.query.wholeMicroseconds) us" }),
      AnswerField("nodesVisited", as: "nodes", \.queryNodes),
      AnswerField(
        "editMicroseconds", as: "durable edit", \.edit.wholeMicroseconds,
        shown: { "\($0.edit.wholeMicroseconds) us" }),
    ]
  }
}

/// A random number generator with the same sequence in each run.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
private struct SplitMix {
  private var state: UInt64 = 20_261_122

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var number = state
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
  }
}
