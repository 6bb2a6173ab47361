import ClusterSimulation
import CollectionLayout
import LayoutCache
import LayoutCluster
import LayoutReplication
import TestSupport
import Testing

// Strategy: a random program of imports, batches, undos and layouts runs on the nodes of a
// cluster, each step on another node, and on a separate file. Both must return the same answers
// and hold the same items, sections, data, marks, measured lengths and revisions.

@Suite struct ImportPropertyTests {
  @Test(.property) func clusterImportsMatchASingleMachine() throws {
    var (archiveCount, batchCount) = (0, 0)
    for seed in PropertyRun.eachSeed() {
      var program = try TwinProgram(seed: seed)
      for _ in PropertyRun.each(seed, steps: 15) {
        let difference = try program.takeStep()
        #expect(difference == nil)
        if difference != nil { return }
      }
      archiveCount += program.archiveCount
      batchCount += program.batchCount
    }
    #expect(archiveCount > 2 && batchCount > 2, "\(archiveCount) archives, \(batchCount) batches")
  }
}

/// Random steps, run on a cluster and on a single machine.
private struct TwinProgram {
  private let cluster: TestCluster
  private let machine: LayoutCache
  private var generator: SeededGenerator
  /// The numbers of imports that resulted in archives and in batches.
  private(set) var archiveCount = 0
  private(set) var batchCount = 0

  private static let dataset = "feed"

  init(seed: UInt64) throws {
    cluster = try TestCluster(nodes: 3)
    machine = try LayoutCache.temporary(options: TestCluster.options)
    generator = SeededGenerator(seed: seed)
    // Only an existing dataset can be appended to.
    for cache in [machine, cluster[0]] { try cache.createDataset(Self.dataset) }
    _ = try cluster.contents(of: Self.dataset)
  }

  /// Runs a step on both.
  ///
  /// - Returns: The difference, or `nil` if there is none.
  mutating func takeStep() throws -> String? {
    let (name, body) = try randomStep()
    let node = Int.random(in: 0..<cluster.nodes.count, using: &generator)
    let before = cluster.store.log.state
    let expected = try answer(body, machine)
    let found = try answer(body, cluster[node])
    if expected != found { return "\(name): \(expected), and on node \(node) \(found)" }
    guard let head = cluster.store.log.state.dataset(named: Self.dataset) else { return nil }
    try count(head, before, isImport: name == "import")
    let contents = try Contents(of: Self.dataset, in: machine)
    for (number, other) in try cluster.contents(of: Self.dataset).enumerated()
    where other != contents {
      return "\(name): \(contents), and node \(number) has \(other)"
    }
    return try differenceOfLayouts(name)
  }

  private mutating func count(
    _ head: SharedHead, _ before: LogState, isImport: Bool
  ) throws {
    let past = before.datasets[head.position.dataset]?.entries.count ?? 0
    let entries = cluster.store.log.state.datasets[head.position.dataset]!.entries[past...]
    archiveCount += entries.count { $0.kind == .archive }
    if isImport { batchCount += entries.count { $0.kind == .batch } }
    // No archive remains that no entry names.
    #expect(
      cluster.store.log.state.archiveCount
        == cluster.store.log.state.datasets.values.reduce(0) { $0 + $1.archives.count })
  }

  private typealias Step = (LayoutCache) throws -> String

  private mutating func randomStep() throws -> (name: String, body: Step) {
    let dataset = Self.dataset
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...4:
      let asked = try FeedImport.random(using: &generator)
      return ("import", { "\(try asked.run(on: $0, into: dataset))" })
    case 5:
      let layout = LayoutID(Feeds.layouts.randomElement(using: &generator)!, of: dataset)
      let columns = Int.random(in: 1...4, using: &generator)
      let configuration = try ConfigurationText.decode(
        #"""
        {"container":{"width":\#(100 * columns)},
        "section":{"columns":\#(columns),"assignment":"exact"}}
        """#)
      return (
        "layout",
        {
          try $0.setLayout(layout, to: configuration)
          return ""
        }
      )
    case 6:
      return ("undo", { "\(try $0.undo(dataset).revision)" })
    case 7:
      let key = "k\(generator.next() % 1000)"
      let layout = Feeds.layouts.randomElement(using: &generator)!
      return (
        "prefer",
        {
          let operations: [BatchOperation] = [
            .upsert([try UpsertedItem(key: key, width: 3, height: 4)], section: "s0"),
            .prefer(layout: layout, key: key, length: .points(33)),
            .mark(source: "source", position: key),
          ]
          return "\(try $0.update(dataset, with: operations).revision)"
        }
      )
    default:
      let operations = try Feeds.batch(on: keys(), using: &generator)
      return ("batch", { "\(try $0.update(dataset, with: operations).revision)" })
    }
  }

  private func keys() throws -> [String] {
    guard try machine.datasets().count == 1 else { return [] }
    return try FeedSection.all(of: Self.dataset, in: machine).flatMap { $0.items.map(\.key) }
  }

  /// Returns the outcome of a step: its answer or its error.
  private func answer(_ body: Step, _ cache: LayoutCache) throws -> String {
    do {
      return try body(cache)
    } catch let error as LayoutCacheError {
      return "\(error.code)"
    }
  }

  /// Returns the first difference in the layouts or in the reported changes of the last step.
  private func differenceOfLayouts(_ name: String) throws -> String? {
    for layout in try machine.layouts(of: Self.dataset).map(\.name) {
      func shown(_ cache: LayoutCache) throws -> [String] {
        try cache.read(LayoutID(layout, of: Self.dataset)) { snapshot in
          let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
          return page.elements.map { "\($0.category) \($0.indexPath) \($0.frame)" }
        }
      }
      let expected = try shown(machine)
      for (cache, _) in cluster.nodes where try shown(cache) != expected {
        return "\(name): layout \(layout) is another"
      }
    }
    let revision = try machine.dataset(Self.dataset).revision
    guard revision > 1 else { return nil }
    func changes(_ cache: LayoutCache) throws -> String {
      "\(try cache.changes(of: Self.dataset, since: revision - 1).updates)"
    }
    let expected = try changes(machine)
    for (cache, _) in cluster.nodes where try changes(cache) != expected {
      return "\(name): \(expected), and a node says \(try changes(cache))"
    }
    return nil
  }
}
