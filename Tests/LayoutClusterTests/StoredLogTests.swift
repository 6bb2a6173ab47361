import ClusterTestSupport
import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutCluster
import LayoutGeometry
import LayoutReplication
import Testing

// The files in `Stored` are logs that an earlier version wrote, or this one when it was released:
// the entries of one dataset, with an archive, and a checkpoint. Nodes of later versions must
// follow them to the same answers. They are never written again: UPDATE_GOLDEN=1 adds the file of
// a new version of the format. A new version of the layout rules changes the answers only.

@Suite struct StoredLogTests {
  private struct StoredLog: Codable {
    struct Entry: Codable {
      var kind: Int16
      var name: Data
      var payload: Data
      var time: Int64
    }

    var begin: Data
    var time: Int64
    var entries: [Entry]
    /// The archive that an entry names, by its number in the log.
    var archive: Data
    /// The state after ``checkpointSequence`` entries.
    var checkpoint: Data
    var checkpointSequence: Int
    var answers: [String]
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Stored")

  /// The version of the format that this version writes.
  private static let newest = "log-5.json"

  private static let layouts = ["phone", "exact", "any@320"]

  static let names: [String] = {
    let updates = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
    if updates && !stored.contains(newest) {
      do { try write() } catch { Issue.record("no file was written: \(error)") }
    }
    return stored
  }()

  private static var stored: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  // MARK: Writing

  private static func write() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    try change(a.cache)
    let store = house.log
    let head = try #require(try store.dataset(named: "feed"))
    let position = try #require(try a.node.checkpoint("feed"))
    let checkpoint = try #require(try store.checkpoints(of: head.position.dataset).first)
    _ = try a.cache.update("feed", with: [.delete(keys: ["b2"])])
    let begin = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
    let entries = try store.entries(of: begin.dataset, after: 0, bytesMax: .max)
    let named = try #require(entries.first { $0.kind == .archive }).archive.archive
    let log = StoredLog(
      begin: Data(head.begin), time: head.time,
      entries: entries.map {
        .init(
          kind: $0.kind.rawValue, name: Data($0.request.name), payload: Data($0.request.payload),
          time: $0.request.time)
      },
      archive: try bytes(of: named.number, in: store),
      checkpoint: try bytes(of: checkpoint.archive, in: store),
      checkpointSequence: position.sequence, answers: try answers(of: a.cache))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(log).write(to: folder.appending(path: newest))
  }

  private static func bytes(of archive: Int64, in store: any SharedLog) throws -> Data {
    var bytes = Data()
    var number = 0
    while let chunk = try store.chunk(number, of: archive) {
      bytes += chunk
      number += 1
    }
    return bytes
  }

  /// Creates a dataset whose log has every kind of entry that nodes write.
  private static func change(_ cache: LayoutCache) throws {
    try cache.createDataset("feed")
    _ = try cache.importItems(into: "feed", mode: .replace) { importer in
      for section in ["a", "b"] {
        for index in 0..<12 {
          let size = (Double(20 + index * 7 % 31), Double(15 + index * 11 % 47))
          try importer.add(
            Item(key: "\(section)\(index)", width: size.0, height: size.1), section: section)
        }
      }
    }
    let configurations = [
      "phone": #"{"container":{"width":300},"section":{"columns":3,"maximumSkew":20}}"#,
      "exact": #"{"container":{"width":300},"section":{"columns":2,"assignment":"exact"}}"#,
      "any": #"{"container":{"widths":{"step":8}},"section":{"minimumColumnWidth":90}}"#,
      "old": #"{"container":{"width":100},"section":{"columns":1}}"#,
    ]
    for (name, text) in configurations.sorted(by: { $0.key < $1.key }) {
      try cache.setLayout(LayoutID(name, of: "feed"), to: ConfigurationText.decode(text))
    }
    try cache.renameLayout(LayoutID("old", of: "feed"), to: "older")
    for name in layouts { try cache.prepare(LayoutID(name, of: "feed")) }
    try cache.removeLayout(LayoutID("older", of: "feed"))
    let request = try IdempotentRequest(key: "order-7", owner: "shop", bodyHash: [1, 2])
    let resize = BatchOperation.resize(key: "a3", size: Size(width: 40, height: 90))
    _ = try cache.update("feed", with: [resize], once: request, answer: nil)
    let data = try ItemData(json: #"{"title":"é"}"#)
    try cache.update(
      "feed",
      with: [
        .insert([try Item(key: "new", width: 3, height: 5, data: data)], at: .before("a7")),
        .prefer(layout: "phone", key: "a9", length: 33), .move(key: "b0", to: .after("a1")),
        .insertSection(key: "c", index: 0, style: "hero"), .mark(source: "s", position: "7"),
      ])
    try cache.undo("feed")
    try cache.update("feed", with: [.resize(key: "b5", size: Size(width: 9, height: 200))])
  }

  private static func answers(of cache: LayoutCache) throws -> [String] {
    let dataset = try cache.dataset("feed")
    return try ["feed \(dataset.revision) \(dataset.incarnation) \(dataset.itemCount)"]
      + layouts.map { try KnownAnswers.Answer($0, from: cache).line }
  }

  // MARK: Reading

  @Test func theNewestFormatHasAFile() {
    #expect(Self.names.contains(Self.newest))
  }

  /// Creates a log with the stored entries.
  ///
  /// - Parameter count: The number of entries.
  private func fill(_ house: NodeHouse, _ stored: StoredLog, count: Int) throws -> SharedHead {
    let store = house.log
    let archive = try store.beginArchive(of: nil)
    try store.putChunk([UInt8](stored.archive), number: 0, of: archive)
    var head = try store.createDataset(
      named: "feed", chain: [UInt8](stored.begin), time: stored.time)
    for entry in stored.entries.prefix(count) {
      let kind = try #require(SharedEntry.Kind(rawValue: entry.kind))
      let next = SharedRequest(
        kind, named: [UInt8](entry.name), payload: [UInt8](entry.payload), time: entry.time)
      if kind == .archive { #expect(try NamedArchive(next.payload).archive.number == archive) }
      head = try ContractTools.append([next], after: head, to: store).head
    }
    return head
  }

  private func read(_ name: String) throws -> StoredLog {
    try JSONDecoder().decode(
      StoredLog.self, from: Data(contentsOf: Self.folder.appending(path: name)))
  }

  @Test(arguments: names)
  func aStoredLogLeadsToTheAnswersOfWhenItWasWritten(name: String) throws {
    let stored = try read(name)
    let house = try NodeHouse()
    _ = try fill(house, stored, count: stored.entries.count)
    let node = try house.node("a")
    _ = try node.node.visit("feed")
    #expect(try Self.answers(of: node.cache) == stored.answers)
    // A checkpoint is the same to the byte.
    let other = try NodeHouse()
    let head = try fill(other, stored, count: stored.checkpointSequence)
    let maker = try other.node("b")
    _ = try maker.node.visit("feed")
    #expect(try maker.node.checkpoint("feed") == head.position)
    let checkpoint = try #require(try other.log.checkpoints(of: head.position.dataset).first)
    #expect(try Self.bytes(of: checkpoint.archive, in: other.log) == stored.checkpoint)
  }

  @Test func theNewestLogHasEveryKindOfEntry() throws {
    let kinds = Set(try read(Self.newest).entries.map(\.kind))
    #expect(kinds == Set(SharedEntry.Kind.allCases.map(\.rawValue)))
  }
}
