import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import TestSupport

/// The steps of a process on a database until it is killed.
///
/// The same seed gives the same steps, so that the expected content of the file follows from
/// the number of steps.
struct CrashScript {
  enum Step {
    case create([OracleSection])
    case setLayout(String)
    case update([OracleOperation], preparing: UpdatedLayouts)
    /// A section of `itemCount` items that is inserted and deleted in one batch: it leaves only
    /// a long tail, and a few of them make a checkpoint due.
    case bulk(section: String, itemCount: Int)
    case importItems([OracleSection], ImportMode)
    case checkpoint
    case prepare
    /// Continues with another cache after closing or dropping the previous one.
    case reopen(closing: Bool)
  }

  let configuration: String
  /// The dataset's content after the previous steps.
  private(set) var feed: OracleFeed
  private(set) var stepCount = 0
  private let initial: [OracleSection]
  private var generator: SeededGenerator
  private var batches: RandomBatch
  /// The source of later imports, with different keys.
  private var source: RandomFeed

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    var source = RandomFeed(itemCountMax: 40)
    initial = source.sections(using: &generator)
    configuration = RandomConfiguration(kinds: .all).text(
      sectionKeys: initial.map(\.key), using: &generator)
    feed = try OracleFeed(configuration: configuration, sections: initial)
    batches = RandomBatch(source: source, itemCountMax: 200)
    self.source = RandomFeed(sectionCountMax: 3, itemCountMax: 30)
  }

  /// Returns the next step, after applying it to the feed.
  mutating func next() throws -> Step {
    stepCount += 1
    switch stepCount {
    case 1: return .create(initial)
    case 2: return .setLayout(configuration)
    default: break
    }
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<14: return .checkpoint
    case 14..<22: return .prepare
    case 22..<26: return .reopen(closing: generator.oneIn(2))
    case 26..<32:
      let count = Int.random(in: 500...2000, using: &generator)
      return .bulk(section: "bulk \(stepCount)", itemCount: count)
    case 32..<42: return try nextImport()
    default:
      let batch = batches.next(for: feed, using: &generator)
      try feed.apply(batch)
      // Laying out from scratch uses the items as the batch has left them.
      if batch.isEverything { try feed.layOutFromScratch() }
      let layouts = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
      return .update(batch, preparing: layouts)
    }
  }

  private mutating func nextImport() throws -> Step {
    // None of these keys exists in the feed.
    var imported: [OracleSection] = []
    for section in source.sections(using: &generator) where !section.items.isEmpty {
      var section = section
      section.key = "import \(stepCount) \(section.key)"
      for index in section.items.indices {
        section.items[index].key = "import \(stepCount) \(section.items[index].key)"
      }
      imported.append(section)
    }
    if imported.isEmpty || generator.oneIn(3) {
      feed = try OracleFeed(configuration: configuration, sections: imported)
      return .importItems(imported, .replace)
    }
    if let known = feed.sections.randomElement(using: &generator), generator.oneIn(2) {
      imported[0].key = known.key
    }
    // The smallest import applied in place as a batch is less than an eighth of the feed.
    if generator.oneIn(2) {
      imported = [imported[0]]
      imported[0].items = Array(imported[0].items.prefix(3))
    }
    let keys = Set(feed.sections.map { Array($0.key.utf8) })
    let count = imported.map(\.items.count).reduce(0, +)
    if count < feed.sections.map(\.items.count).reduce(0, +) / 8 {
      try feed.apply(
        imported.flatMap { section -> [OracleOperation] in
          let isNew = !keys.contains(Array(section.key.utf8))
          let restyling = section.style.map {
            OracleOperation.style(section: section.key, style: $0)
          }
          return (isNew ? [.insertSection(key: section.key, style: section.style)] : [])
            + (isNew ? [] : [restyling].compactMap(\.self))
            + [.insert(items: section.items, at: .end(section: section.key))]
        })
    } else {
      var sections = feed.sections
      for section in imported {
        let known = sections.firstIndex { $0.key.utf8.elementsEqual(section.key.utf8) }
        if let known {
          sections[known].items += section.items
          if let style = section.style { sections[known].style = style }
        } else {
          sections.append(section)
        }
      }
      feed = try OracleFeed(configuration: configuration, sections: sections)
    }
    return .importItems(imported, .append)
  }
}

/// A process that runs a script.
struct CrashingProcess {
  let path: String
  var cache: LayoutCache

  init(path: String) throws {
    self.path = path
    cache = try Self.makeCache(path)
  }

  private static func makeCache(_ path: String) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    // Imports go through temporary tables.
    options.importBytes = 4096
    return try LayoutCache(path: path, options: options)
  }

  /// Runs a step.
  ///
  /// - Returns: The dataset's new revision, if the step creates one.
  mutating func run(_ step: CrashScript.Step) throws -> Int? {
    switch step {
    case .create(let sections): return try importItems(sections, mode: .create)
    case .setLayout(let text):
      try cache.setLayout(LayoutID("layout", of: "feed"), to: ConfigurationText.decode(text))
      try cache.prepare(LayoutID("layout", of: "feed"))
    case .update(let batch, let layouts):
      let commit = try cache.update(
        "feed", with: batch.map { try BatchOperation($0) }, preparing: layouts)
      // Otherwise later batches would be included in the layout from scratch.
      if batch.isEverything { try cache.prepare(LayoutID("layout", of: "feed")) }
      return commit.revision
    case .bulk(let section, let count):
      let items = try (0..<count).map { try Item(key: "\(section) \($0)", width: 4, height: 3) }
      return try cache.update(
        "feed",
        with: [
          .insertSection(key: section), .insert(items, at: .end(section: section)),
          .deleteSection(key: section),
        ]
      ).revision
    case .importItems(let sections, let mode):
      let revision = try importItems(sections, mode: mode)
      try cache.prepare(LayoutID("layout", of: "feed"))
      return revision
    case .checkpoint: try cache.checkpoint()
    case .prepare: try cache.prepare(LayoutID("layout", of: "feed"))
    case .reopen(let closing):
      if closing { try cache.close() }
      cache = try Self.makeCache(path)
    }
    return nil
  }

  private func importItems(_ sections: [OracleSection], mode: ImportMode) throws -> Int {
    try cache.importItems(into: "feed", mode: mode) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }.revision
  }
}

extension CrashingProcess {
  /// The most steps of one process.
  private static let stepsMax = 60

  /// Continues a script from the step at which another process was killed, records each
  /// completed step, and is killed at some moment.
  ///
  /// - Parameters:
  ///   - done: The number of completed steps.
  ///   - log: The file for the steps: one line per step with its number and the revision.
  ///   - delay: The time until the kill, in microseconds after the file begins to be opened.
  static func live(
    path: String, seed: UInt64, done: Int, revision: Int, log: String, delay: Int
  ) throws -> Never {
    var script = try CrashScript(seed: seed)
    while script.stepCount < done { _ = try script.next() }
    let descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    precondition(descriptor >= 0, "\(log) can't be made")
    Thread.detachNewThread {
      usleep(UInt32(delay))
      kill(getpid(), SIGKILL)
    }
    var revision = revision
    var process = try CrashingProcess(path: path)
    for _ in 0..<stepsMax {
      if let new = try process.run(script.next()) { revision = new }
      let line = Array("\(script.stepCount) \(revision)\n".utf8)
      precondition(write(descriptor, line, line.count) == line.count)
    }
    kill(getpid(), SIGKILL)
    fatalError("killed")
  }

  /// The last step that a process has recorded, and the revision after it.
  static func lastLine(of log: String) throws -> (done: Int, revision: Int)? {
    guard FileManager.default.fileExists(atPath: log) else { return nil }
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    guard let words = lines.last?.split(separator: " "), words.count == 2,
      let done = Int(words[0]), let revision = Int(words[1])
    else { return nil }
    return (done, revision)
  }
}
