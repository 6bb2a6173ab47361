import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// An answer that a client reads in pages, while commits change the dataset.
struct WorldWalk {
  var place: World.Place
  var subject: ElementsQuery
  var query: ElementsQuery
  /// How often each item was returned.
  var met: [ExactKey: Int] = [:]
  /// The items that were part of the answer at each page's revision.
  var stayed: Set<ExactKey>?
  /// The items that were inserted, deleted or moved since the first page, or their sections.
  var touched: Set<ExactKey> = []
  var pageCount = 0
}

extension World {
  /// Reads the next page of an answer: an item that stays is returned once.
  func observePages() throws {
    var number = walks.indices.randomElement(using: &generator)
    if walks.isEmpty || walks.count < 3 && generator.oneIn(3) {
      guard let walk = try beginWalk() else { return }
      // Its first page is read at once: its first item may be deleted later.
      walks.append(walk)
      number = walks.count - 1
    }
    guard let number else { return }
    var walk = walks.remove(at: number)
    let id = id(walk.place)
    let (whole, page) = try read(walk.place) { snapshot, _ in
      (try Self.keys(of: walk.subject, in: snapshot), try snapshot.elements(walk.query))
    }
    walk.pageCount += 1
    walk.stayed = walk.stayed.map { $0.intersection(whole) } ?? Set(whole)
    for case .cell(let key) in page.elements.map(\.category) {
      walk.met[ExactKey(key), default: 0] += 1
    }
    for (key, count) in walk.met where count > 1 && !walk.touched.contains(key) {
      throw Difference(description: "\(id), \(walk.subject): '\(key.string)' is met \(count) times")
    }
    guard let next = page.next else {
      for key in (walk.stayed ?? []).subtracting(walk.touched) where walk.met[key] != 1 {
        throw Difference(
          description: "\(id), \(walk.subject): '\(key.string)' is met \(walk.met[key] ?? 0) times")
      }
      if walk.pageCount > 1 { count("walked") }
      return
    }
    #expect(!page.elements.isEmpty)
    let token = try #require(Continuation(token: next.token))
    #expect(token == next)
    walk.query = .after(
      token, limit: generator.oneIn(3) ? .random(in: 1...4, using: &generator) : nil)
    walks.insert(walk, at: number)
  }

  private func beginWalk() throws -> WorldWalk? {
    let place = anyPlace()
    let count = Int.random(in: 1...5, using: &generator)
    let query: ElementsQuery
    if generator.oneIn(2) {
      let keys = datasets[place.dataset].keys
      guard let key = keys.randomElement(using: &generator) else { return nil }
      let isBackward = generator.oneIn(2)
      query = .items(
        from: .key(generator.oneIn(2) ? key : isBackward ? keys[keys.count - 1] : keys[0]),
        count: count, backward: isBackward)
    } else {
      let size = try read(place) { $1.contentSize }
      let rect = UnitRect(
        x: -1000, y: -1000, width: .random(in: 1000...(size.width + 1000), using: &generator),
        height: .random(in: 1000...(size.height + 1000), using: &generator))
      query = .rect(Rect(generator.oneIn(2) ? RandomRects.everything : rect), limit: count)
    }
    record("a walk begins: \(query)")
    return WorldWalk(place: place, subject: query, query: query)
  }

  /// The keys of all cells in the answer at the present revision.
  private static func keys(
    of subject: ElementsQuery, in snapshot: LayoutSnapshot
  ) throws -> [ExactKey] {
    let elements: [LayoutAttributes]
    switch subject {
    case .rect(let rect, let visible, _):
      elements = try snapshot.elements(in: rect, visible: visible).elements
    case .items(.key(let key), _, let isBackward):
      // Without its first item the start of the run is unknown.
      guard try snapshot.indexPath(ofKey: key) != nil else { return [] }
      elements = try snapshot.elements(fromKey: key, count: .max, backward: isBackward).elements
    default: elements = []
    }
    return elements.compactMap {
      if case .cell(let key) = $0.category { ExactKey(key) } else { nil }
    }
  }

  /// Records the items that a batch moves, inserts or deletes.
  func noteWalks(_ batch: [OracleDataset.Operation], on before: OracleDataset, of dataset: Int) {
    for number in walks.indices where walks[number].place.dataset == dataset {
      for operation in batch {
        switch operation.operation {
        case .insert(let items, _): touch(number, items.map(\.key))
        case .upsert(let items, _, _): touch(number, items.map(\.key))
        case .delete(let keys, _): touch(number, keys)
        case .move(let key, _): touch(number, [key])
        case .deleteSection(let key, _), .moveSection(let key, _):
          for section in before.sections where ExactKey(section.key) == ExactKey(key) {
            touch(number, section.items.map(\.key))
          }
        default: break
        }
      }
    }
  }

  private func touch(_ walk: Int, _ keys: [String]) {
    walks[walk].touched.formUnion(keys.map { ExactKey($0) })
  }
}
