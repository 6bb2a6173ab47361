import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport

/// The model of a dataset: the oracle's, which knows items and layouts, and the rest.
struct WorldDataset {
  /// The effect of undoing the newest commit.
  enum Previous {
    case state(Past)
    /// It fails, since the newest revision is an import or the creation.
    case imported
    /// It may fail, or the model cannot tell what it leads to.
    case unknown
  }

  /// The dataset at a revision.
  struct Past {
    var model: OracleDataset
    var data: [ExactKey: ItemData]
    var notes: [LayoutNote]
  }

  /// The facts about a layout that the oracle does not know.
  struct LayoutNote {
    /// Changes whenever the layout's contexts cannot reach back further.
    var tag: Int
    /// The configuration by which the layout is laid out.
    var text: String
    var definitions = Definitions()
  }

  /// The configurations of a layout that is no variant, the present one first.
  struct Definitions {
    private(set) var entries: [(time: Int64, text: String)] = []

    /// Adds a configuration, and returns whether it is another.
    mutating func add(_ text: String, at time: Int64) throws -> Bool {
      let present = try entries.first.map { try ConfigurationText.decode($0.text) }
      if try present == ConfigurationText.decode(text) { return false }
      entries = Array(([(time, text)] + entries).prefix(16))
      return true
    }
  }

  struct Mark: Equatable {
    var position: String
    var revision: Int
  }

  var model: OracleDataset { didSet { model.numbers = numbers } }
  var data: [ExactKey: ItemData] { didSet { noteNumbers() } }
  private var numbers: [[UInt8]: Double] = [:]
  /// By source.
  var marks: [String: Mark] = [:]
  var requests: [WorldRequest] = []
  /// The results of commits, by revision.
  var returned: [Int: Commit] = [:]
  var previous = Previous.imported
  /// The latest revisions.
  private(set) var past: [Past] = []
  /// The revision of the newest import: updates do not reach back further.
  private(set) var firstKnownRevision = 1
  var notes: [LayoutNote]
  var batches: RandomBatch
  var responsive: WorldResponsive?
  private var tagCount = 0

  init(_ model: OracleDataset, _ data: [ExactKey: ItemData], _ batches: RandomBatch) {
    (self.model, self.data, self.batches) = (model, data, batches)
    notes = model.layouts.map { LayoutNote(tag: 0, text: $0.text) }
    noteNumbers()
    past = [present]
  }

  private mutating func noteNumbers() {
    // Data begins with the member n, a digit.
    numbers = Dictionary(
      uniqueKeysWithValues: data.compactMap { key, data in
        Double(data.json.dropFirst(5).prefix(1)).map { (Array(key.string.utf8), $0) }
      })
    model.numbers = numbers
  }

  var present: Past { Past(model: model, data: data, notes: notes) }

  var keys: [String] { model.sections.flatMap(\.items).map(\.key) }

  // MARK: - Layouts

  /// Lays a layout out by its present configuration.
  mutating func prepare(_ layout: Int) throws {
    let text = model.layouts[layout].text
    // Another result begins: no context leads from the one before to it.
    if !model.layouts[layout].feed.hasResult || notes[layout].text != text { retag(layout) }
    try model.prepare(layout)
    notes[layout].text = text
  }

  mutating func retag(_ layout: Int) {
    tagCount += 1
    notes[layout].tag = tagCount
  }

  // MARK: - Changes

  /// Applies a batch, and returns it as the engine's, with data and changes of data.
  ///
  /// - Parameters:
  ///   - isHeavy: Whether some items get data of nearly the maximum size.
  ///   - isPlain: Whether there are no data and no marks.
  mutating func apply(
    _ batch: [OracleDataset.Operation], isHeavy: Bool = false, isPlain: Bool = false,
    using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    let before = present
    try model.apply(batch)
    var operations: [BatchOperation] = []
    for operation in batch {
      switch operation.operation {
      case .insert(let items, let destination):
        let items = try items.map { item in
          let carried =
            !isPlain && generator.oneIn(2) ? try Self.randomData(using: &generator) : nil
          data[ExactKey(item.key)] = carried
          return try Item(item, carried)
        }
        operations.append(.insert(items, at: ItemDestination(destination)))
      case .delete(let keys, _):
        for key in keys { data[ExactKey(key)] = nil }
        fallthrough
      default: operations.append(try BatchOperation(operation, in: before.model))
      }
    }
    // Data alone would make a revision that the oracle does not know.
    if model.revision > before.model.revision, !isPlain {
      operations += try dataChanges(isHeavy, using: &generator)
    }
    if model.revision > before.model.revision, !isPlain, generator.oneIn(4) {
      let source = generator.oneIn(2) ? "orders" : "stock"
      let present = marks[source]?.position
      let position = "\(model.revision) \(generator.next())"
      operations.append(
        .mark(
          source: source, position: position,
          after: generator.oneIn(2) ? .any : present.map { .position($0) } ?? .none))
      marks[source] = Mark(position: position, revision: model.revision)
    }
    let present = Set(keys.map { ExactKey($0) })
    data = data.filter { present.contains($0.key) }
    noteRevision(since: before)
    return operations
  }

  private mutating func dataChanges(
    _ isHeavy: Bool, using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    var changes: [BatchOperation] = []
    let keys = keys
    for _ in 0..<(isHeavy ? 5 : Int.random(in: 0...2, using: &generator)) {
      guard let key = keys.randomElement(using: &generator) else { break }
      let new: ItemData? =
        switch isHeavy ? 3 : Int.random(in: 0..<4, using: &generator) {
        case 0: nil
        case 1: data[ExactKey(key)]
        default: try Self.randomData(isHeavy, using: &generator)
        }
      data[ExactKey(key)] = new
      changes.append(.data(key: key, new))
    }
    return changes
  }

  /// Records a state before the present revision.
  mutating func noteRevision(since before: Past) {
    guard model.revision > before.model.revision else { return }
    previous = .state(before)
    past = past.suffix(11) + [present]
  }

  /// Returns to an earlier state, by a commit that can itself be undone.
  mutating func undo(to model: OracleDataset, _ data: [ExactKey: ItemData]) {
    let before = present
    (self.model, self.data) = (model, data)
    noteRevision(since: before)
  }

  /// Records a revision that cannot be undone, and whose updates are everything.
  mutating func noteImport() {
    previous = .imported
    firstKnownRevision = model.revision
    past = [present]
  }

  // MARK: - Data

  static func randomData(
    _ isHeavy: Bool = false, using generator: inout SeededGenerator
  ) throws -> ItemData {
    let length =
      isHeavy ? 3900 : generator.oneIn(12) ? Int.random(in: 0...3000, using: &generator) : 5
    let text = String(repeating: "é", count: length / 2)
    return try ItemData(json: #"{"n":\#(Int.random(in: 0...9, using: &generator)),"t":"\#(text)"}"#)
  }

  /// Data of some items of an import.
  static func randomData(
    for sections: [OracleSection], using generator: inout SeededGenerator
  ) throws -> [ExactKey: ItemData] {
    var data: [ExactKey: ItemData] = [:]
    let oneIn = [1, 3, 20].randomElement(using: &generator)!
    for item in sections.flatMap(\.items) where generator.oneIn(oneIn) {
      data[ExactKey(item.key)] = try randomData(using: &generator)
    }
    return data
  }
}

extension Item {
  init(_ item: OracleItem, _ data: ItemData?) throws {
    try self.init(
      key: item.key, width: item.width, height: item.height, columnSpan: item.span, data: data,
      visibility: ItemVisibility(item.visibility))
  }
}
