import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

// `commitTogether` is internal: which requests of concurrent tasks are one group is the
// scheduler's choice.
@testable import LayoutCache

/// A request with an idempotency key that was carried out.
struct WorldRequest {
  var identity: IdempotentRequest
  var revision: Int
  var answer: [UInt8]
  /// Milliseconds of the world's clock.
  var time: Int64
}

// Actions that repeat requests and marks, and that commit in groups.
extension World {
  /// Commits with an idempotency key, or repeats such a request, which changes nothing.
  func request() throws {
    let (cache, number) = (anyCache(), anyDataset())
    let fresh = datasets[number].requests.filter { now - $0.time < 20 * 3_600_000 }
    if !generator.oneIn(3), let request = fresh.randomElement(using: &generator) {
      return try repeatRequest(request, of: number, by: cache)
    }
    let before = datasets[number]
    let batch = datasets[number].batches.next(for: before.model, using: &generator)
    let operations = try datasets[number].apply(batch, using: &generator)
    noteWalks(batch, on: before.model, of: number)
    let identity = try IdempotentRequest(
      key: freshName(), owner: generator.oneIn(2) ? "" : "owner", bodyHash: [1, 2])
    let answer: [UInt8] = Array("\(generator.next())".utf8)
    record("\(cache) commits \(identity.key) to \(before.model.name): \(operations)")
    let outcome = try caches[cache].update(
      before.model.name, with: operations, once: identity, answer: { _ in answer })
    guard case .applied(let applied) = outcome else {
      throw Difference(description: "a new request is a repeat: \(outcome)")
    }
    try compare(applied.commit, of: number, since: before)
    datasets[number].requests.append(
      WorldRequest(
        identity: identity, revision: applied.commit.revision, answer: answer, time: now))
  }

  private func repeatRequest(_ request: WorldRequest, of number: Int, by cache: Int) throws {
    let model = datasets[number].model
    record("\(cache) repeats \(request.identity.key) to \(model.name)")
    let batch: [BatchOperation] = [.insertSection(key: "not to be inserted")]
    let outcome = try caches[cache].update(
      model.name, with: batch, once: request.identity, answer: { _ in [] })
    guard case .replayed(let revision, let answer) = outcome else {
      throw Difference(description: "\(request) is carried out again: \(outcome)")
    }
    #expect(revision == request.revision && answer.map { $0 == request.answer } ?? true)
    #expect(try caches[cache].dataset(model.name).revision == model.revision)
    let other = try IdempotentRequest(
      key: request.identity.key, owner: request.identity.owner, bodyHash: [3])
    #expect {
      _ = try caches[cache].update(model.name, with: batch, once: other, answer: nil)
    } throws: { error in
      if case .idempotencyKeyReused? = (error as? LayoutCacheError)?.code { true } else { false }
    }
    count("repeated")
  }

  /// A batch with its source's present mark is a repeat, and changes nothing.
  func repeatMark() throws {
    let (cache, number) = (anyCache(), anyDataset())
    let (model, marks) = (datasets[number].model, datasets[number].marks)
    guard let source = marks.keys.sorted().randomElement(using: &generator),
      let mark = marks[source]
    else { return }
    record("\(cache) repeats the mark \(source) \(mark.position)")
    let commit = try caches[cache].update(
      model.name,
      with: [
        .insertSection(key: "not to be inserted"),
        .mark(source: source, position: mark.position),
      ])
    #expect(commit.isRepeated && commit.revision == mark.revision && commit.layouts.isEmpty)
    #expect {
      _ = try caches[cache].update(
        model.name, with: [.mark(source: source, position: "new", after: .position("other"))])
    } throws: { error in
      if case .refused(_, .markMismatch)? = (error as? LayoutCacheError)?.code { return true }
      return false
    }
    count("repeated mark")
  }

  /// Commits several batches in one transaction, some of them invalid: each has the outcome that
  /// it would have alone.
  func commitGroup() throws {
    let cache = anyCache()
    var changes: [QueuedChange] = []
    var states: [(before: WorldDataset, after: WorldDataset, isValid: Bool)] = []
    var numbers: [Int] = []
    // The log becomes so long in the group that a checkpoint is made.
    let isLong = generator.oneIn(20)
    for _ in 0..<(isLong ? 75 : Int.random(in: 2...6, using: &generator)) {
      let number = isLong ? 0 : anyDataset()
      let before = datasets[number]
      var batch: [OracleDataset.Operation]
      let isValid = !generator.oneIn(4)
      let operations: [BatchOperation]
      if isValid {
        batch = datasets[number].batches.next(for: before.model, using: &generator)
        // A layout is laid out from scratch after the whole group, and what needs a pass over the
        // dataset is resolved before it.
        batch.removeAll { [$0.operation].isEverything || $0.operation == .resetLengths }
        operations = try datasets[number].apply(batch, isHeavy: isLong, using: &generator)
        noteWalks(batch, on: before.model, of: number)
      } else {
        batch = datasets[number].batches.nextRefused(for: before.model, using: &generator)
        operations = try batch.map { try BatchOperation($0, in: before.model) }
      }
      let layouts: UpdatedLayouts = generator.oneIn(4) ? .none : .inUse
      changes.append(
        QueuedChange(
          dataset: before.model.name,
          request: ChangeRequest(
            .batch(operations), CommitViewport(layouts: layouts),
            expected: generator.oneIn(4) ? before.model.revision : nil)))
      states.append((before, datasets[number], isValid))
      numbers.append(number)
    }
    record("\(cache) commits together: \(changes.map(\.request.work))")
    let before = try checkpointRevision(by: cache)
    let outcomes = caches[cache].commitTogether(changes)
    for (index, outcome) in outcomes.enumerated() {
      do {
        let finished = try caches[cache].finish(
          outcome.get(), of: changes[index].request, answer: nil)
        #expect(states[index].isValid)
        guard case .applied(let applied) = finished else {
          throw Difference(description: "a change of a group is a repeat: \(finished)")
        }
        try compare(
          applied.commit, of: numbers[index], since: states[index].before, to: states[index].after)
      } catch let error as LayoutCacheError {
        if states[index].isValid { throw error }
      }
    }
    count("grouped")
    if isLong, try checkpointRevision(by: cache) > before { count("checkpoint in a group") }
  }

  /// The revision of the dataset "feed" that its trees are stored at.
  private func checkpointRevision(by cache: Int) throws -> Int {
    try caches[cache].store.read { try $0.requireDataset(datasets[0].model.name).revision }
  }
}

// Actions that change the items of a dataset.
extension World {
  /// Commits a random batch.
  func commit() throws {
    let dataset = anyDataset()
    var batch = datasets[dataset].batches.next(for: datasets[dataset].model, using: &generator)
    if generator.oneIn(3), let other = unevenBatch(dataset) { batch = other }
    if generator.oneIn(8) { batch = elementInvalidations(dataset) }
    if generator.oneIn(8) {
      let layout = anyPlace(of: dataset).layout
      batch.insert(
        .init(.invalidate(everything: true), layout: layout),
        at: .random(in: 0...batch.count, using: &generator))
    }
    try commit(batch, to: dataset)
  }

  /// Commits a batch, with random data and marks.
  func commit(_ batch: [OracleDataset.Operation], to dataset: Int) throws {
    let (cache, layouts, before) = (anyCache(), anyLayouts(), datasets[dataset])
    // Layouts that a cache has read follow its commits.
    let isAsked = generator.oneIn(3)
    if isAsked {
      for layout in before.model.layouts.indices {
        try read(Place(dataset: dataset, layout: layout), by: cache) { _, _ in }
      }
    }
    let asked = datasets[dataset]
    let watched = anyPlace(of: dataset)
    let direction = anyDirection()
    let space = WorldSpace(asked.model.layouts[watched.layout].feed.oracle.reading(direction))
    let visible = generator.oneIn(2) ? anyVisible(space) : nil
    let anchor = OffsetAnchor.allCases.randomElement(using: &generator)!
    let operations = try datasets[dataset].apply(batch, using: &generator)
    noteWalks(batch, on: before.model, of: dataset)
    record("\(cache) commits to \(before.model.name), \(layouts): \(operations)")
    let commit = try caches[cache].update(
      before.model.name, with: operations, visible: visible.map { Rect($0) }, anchor: anchor,
      direction: direction, preparing: layouts,
      expecting: generator.oneIn(4) ? before.model.revision : nil)
    try compare(commit, of: dataset, since: asked)
    try compareElements(named: batch, in: commit, of: dataset, since: asked)
    // Items of sections that are placed again have no rule.
    let isPlacedAgain = batch.contains {
      switch $0.operation {
      case .invalidate, .rebalance, .style, .insertSection, .deleteSection: true
      default: false
      }
    }
    if let visible, !isPlacedAgain {
      compare(anchorOf: commit, visible, anchor, direction, watched, since: asked)
    }
    // A batch for one layout lists that one.
    let isOfOneLayout = batch.allSatisfy {
      switch $0.operation {
      case .prefer, .preferLengths, .preferSupplementary, .preferLayout, .resetLengths,
        .invalidate, .invalidateElements:
        true
      default: false
      }
    }
    // The other cache may have too little memory to hold them, and an earlier commit may have left
    // some to their next use.
    if isAsked, cache == 0, layouts != .none, !isOfOneLayout,
      commit.revision > before.model.revision, settings.options.treeShapes.committedMax > 30
    {
      #expect(commit.layouts.count == before.model.layouts.count)
    }
  }

  /// Elements of one or two layouts by their kinds.
  private func elementInvalidations(_ dataset: Int) -> [OracleDataset.Operation] {
    (0..<Int.random(in: 1...2, using: &generator)).map { _ in
      let layout = anyPlace(of: dataset).layout
      let feed = datasets[dataset].model.layouts[layout].feed
      return .init(
        datasets[dataset].batches.elementInvalidation(for: feed, using: &generator),
        layout: layout)
    }
  }

  /// Contexts name the elements that a batch invalidates by kind, and nothing else if the batch
  /// does nothing else.
  private func compareElements(
    named batch: [OracleDataset.Operation], in commit: Commit, of dataset: Int,
    since before: WorldDataset
  ) throws {
    for (layout, description) in datasets[dataset].model.layouts.enumerated() {
      guard let context = commit.layouts[description.name]?.context,
        !context.invalidateEverything
      else { continue }
      var ofLayout: Set<String> = []
      var ofSections: [Int: Set<String>] = [:]
      let keys = description.feed.sections.map { ExactKey($0.key) }
      for case .invalidateElements(let kinds, let sections) in batch.filter({ $0.layout == layout })
        .map(\.operation) where !kinds.isEmpty
      {
        if sections.isEmpty { ofLayout.formUnion(kinds) }
        for section in sections.compactMap({ keys.firstIndex(of: ExactKey($0)) }) {
          ofSections[section, default: []].formUnion(kinds)
        }
      }
      let isOnly = batch.allSatisfy {
        if case .invalidateElements = $0.operation { true } else { false }
      }
      if isOnly, try before.model.layouts[layout].feed.firstOverdueSection() == nil,
        before.notes[layout].text == description.text,
        // A change of data, also one that is changed back, changes badges that depend on it.
        commit.updates.items.isEmpty || !description.text.contains("when")
      {
        count("elements named")
        let sections = Dictionary(
          uniqueKeysWithValues: context.sections.map { ($0.section, $0.kinds) })
        #expect(context.kinds == ofLayout && sections == ofSections)
        #expect(context.sections.allSatisfy { $0.items.isEmpty && $0.interval == nil })
        #expect(context.contentSizeAdjustment == .zero && !context.invalidateDataSourceCounts)
        continue
      }
      // Of sections that the batch deletes and inserts again, nothing is named.
      let isSameList = before.model.sections.map { ExactKey($0.key) } == keys
      #expect(context.kinds.isSuperset(of: ofLayout))
      guard isSameList, context.sectionChanges.isEmpty else { continue }
      for (section, kinds) in ofSections {
        #expect(context.section(section)?.kinds.isSuperset(of: kinds) ?? false)
      }
    }
  }

  /// A batch that makes the columns of a layout uneven, or places its items again; `nil` without
  /// a stable waterfall.
  private func unevenBatch(_ dataset: Int) -> [OracleDataset.Operation]? {
    var stable: [(layout: Int, section: OracleSection)] = []
    for (layout, description) in datasets[dataset].model.layouts.enumerated() {
      for section in description.feed.sections
      where section.items.count > 5 && section.items[0].storedColumn != nil {
        stable.append((layout, section))
      }
    }
    guard let (layout, section) = stable.randomElement(using: &generator) else { return nil }
    let column = section.items.randomElement(using: &generator)?.storedColumn
    let isHigh = generator.oneIn(2)
    let longest = section.items.max {
      ($0.height / $0.width < $1.height / $1.width) == isHigh
    }!
    var operations: [OracleOperation] = []
    if !generator.oneIn(3) {
      for item in section.items.filter({ $0.storedColumn == column }).prefix(8) {
        operations.append(.resize(key: item.key, width: longest.width, height: longest.height))
      }
    }
    if operations.isEmpty || generator.oneIn(3) {
      let item = section.items.randomElement(using: &generator)!
      operations.append(.rebalance(section: section.key, from: generator.oneIn(2) ? item.key : nil))
    }
    return operations.map { .init($0, layout: layout) }
  }

  /// Compares a commit with the model, which has applied it.
  ///
  /// - Parameter later: The state after the commit, if the model has changed since.
  func compare(
    _ commit: Commit, of dataset: Int, since before: WorldDataset, to later: WorldDataset? = nil
  ) throws {
    let after = (later ?? datasets[dataset]).model
    if commit.revision > before.model.revision {
      datasets[dataset].returned[commit.revision] = commit
    }
    #expect(commit.revision == after.revision && commit.dataset == after.name)
    #expect(isFollowed(commit) && !commit.isRepeated)
    commit.updates.expectToLead(from: before.model.sections, to: after.sections, "updates")
    for change in commit.layouts {
      guard let layout = after.layouts.firstIndex(where: { $0.name == change.layout }) else {
        throw Difference(description: "the commit lists \(change.layout)")
      }
      let (old, text) = (before.model.layouts[layout].feed, before.notes[layout].text)
      // A layout that the commit brings up to date is laid out from scratch at once, and one that
      // follows after the commit does so by its present configuration.
      let isRelaid = change.context.reason == .relaid && after.layouts[layout].text != text
      if later == nil, isRelaid || !after.layouts[layout].feed.hasResult {
        try datasets[dataset].prepare(layout)
      }
      #expect(old.hasResult)
      let new = (later ?? datasets[dataset]).model.layouts[layout].feed
      change.context.expectComplete(
        before: old.oracle, after: new.oracle, "context of \(change.layout)")
      if !change.context.invalidateEverything { count("exact context") }
    }
    for layout in datasets[dataset].model.layouts
    where try layout.feed.firstOverdueSection() != nil { count("overdue") }
  }

  /// Returns whether a commit has brought its layouts up to date, but for those that it changes too
  /// much.
  private func isFollowed(_ commit: Commit) -> Bool {
    if !commit.behind.isEmpty { count("preparing") }
    return commit.behind.allSatisfy { $0.code == "preparing" }
  }

  /// Undoes the newest commit, once or several times in a row.
  func undo() throws {
    let dataset = anyDataset()
    for _ in 0..<(generator.oneIn(3) ? Int.random(in: 2...4, using: &generator) : 1) {
      let (cache, layouts, before) = (anyCache(), anyLayouts(), datasets[dataset])
      switch before.previous {
      case .unknown: return
      case .imported:
        record("\(cache) cannot undo \(before.model.name)")
        #expect {
          try caches[cache].undo(before.model.name, preparing: layouts)
        } throws: { error in
          if case .cannotUndo(_, .imported, _)? = (error as? LayoutCacheError)?.code {
            true
          } else {
            false
          }
        }
        return
      case .state(let former):
        guard let back = before.model.undoing(to: former.model) else { return }
        record("\(cache) undoes revision \(before.model.revision), \(layouts)")
        let commit = try caches[cache].undo(
          before.model.name, preparing: layouts, expecting: before.model.revision)
        datasets[dataset].undo(to: back, former.data)
        walks.removeAll { $0.place.dataset == dataset }
        datasets[dataset].returned[commit.revision] = commit
        try compareUndo(commit, of: dataset, since: before)
        count("undone")
      }
      if generator.oneIn(3) { try reopen() }
      if generator.oneIn(4) { try checkpoint() }
      if generator.oneIn(3) { try observeElements() }
    }
  }

  /// Returns to an earlier revision by one commit.
  func undoToRevision() throws {
    let (cache, dataset, layouts) = (anyCache(), anyDataset(), anyLayouts())
    let before = datasets[dataset]
    guard let target = before.past.dropLast().randomElement(using: &generator) else { return }
    let (name, first) = (before.model.name, target.model.revision + 1)
    record("\(cache) returns to revision \(first - 1) of \(name), \(layouts)")
    let undo = { [self] in
      try caches[cache].undo(
        name, to: first - 1, preparing: layouts, expecting: before.model.revision)
    }
    guard try caches[cache].log(of: name, limit: 100).contains(where: { $0.revision == first })
    else {
      #expect(throws: LayoutCacheError.self) { try undo() }
      return
    }
    let commit = try undo()
    walks.removeAll { $0.place.dataset == dataset }
    let names = [before.model, target.model].map { $0.layouts.map { "\($0.number) \($0.name)" } }
    if commit.undone?.placesColumns == false, names[0] == names[1],
      let back = before.model.undoing(to: target.model)
    {
      datasets[dataset].undo(to: back, target.data)
      datasets[dataset].returned[commit.revision] = commit
      try compareUndo(commit, of: dataset, since: before)
      count("undone to a revision with columns")
      return try observeElements()
    }
    let back = try before.model.returning(to: target.model)
    datasets[dataset].undo(to: back, target.data)
    datasets[dataset].returned[commit.revision] = commit
    #expect(commit.revision == back.revision && isFollowed(commit))
    #expect(commit.undone?.first == first && commit.undone?.last == before.model.revision)
    commit.updates.expectToLead(from: before.model.sections, to: back.sections, "undo to")
    for layout in back.layouts.indices {
      let place = Place(dataset: dataset, layout: layout)
      try read(place, by: anyCache()) { snapshot, oracle in
        if datasets[dataset].model.layouts[layout].feed.hasColumns { return }
        try compareAll(snapshot, oracle)
        count("undone to a revision")
      }
    }
    // Columns, which depend on the history, are unknown to the model.
    try layOutAgain(dataset)
  }

  /// Lays all layouts of a dataset out from scratch, whatever results they have.
  func layOutAgain(_ dataset: Int) throws {
    let operations = try datasets[dataset].apply(
      datasets[dataset].model.layouts.indices.map {
        .init(.invalidate(everything: true), layout: $0)
      }, using: &generator)
    let commit = try caches[anyCache()].update(
      datasets[dataset].model.name, with: operations, preparing: anyLayouts())
    datasets[dataset].returned[commit.revision] = commit
    for (layout, description) in datasets[dataset].model.layouts.enumerated()
    where commit.layouts[description.name] != nil {
      try datasets[dataset].prepare(layout)
    }
  }

  private func compareUndo(
    _ commit: Commit, of dataset: Int, since before: WorldDataset
  ) throws {
    let after = datasets[dataset].model
    #expect(commit.revision == after.revision && isFollowed(commit))
    commit.updates.expectToLead(from: before.model.sections, to: after.sections, "undo")
    for change in commit.layouts {
      guard let layout = after.layouts.firstIndex(where: { $0.name == change.layout }),
        after.layouts[layout].feed.hasResult
      else { continue }
      change.context.expectComplete(
        before: before.model.layouts[layout].feed.oracle,
        after: after.layouts[layout].feed.oracle, "undo in \(change.layout)")
    }
  }

  /// Both caches reject an invalid batch for the same reason, and nothing changes.
  func reject() throws {
    let dataset = anyDataset()
    let before = datasets[dataset].model
    let batch = datasets[dataset].batches.nextRefused(for: before, using: &generator)
    let operations = try batch.map { try BatchOperation($0, in: before) }
    record("rejected: \(operations)")
    var changed = before
    let refusal = #expect(throws: OracleRefusal.self) { try changed.apply(batch) }
    var reasons: [String] = []
    for cache in caches {
      let layouts = anyLayouts()
      let error = #expect(throws: LayoutCacheError.self) {
        try cache.update(before.name, with: operations, preparing: layouts)
      }
      if let error { reasons.append("\(error)") }
    }
    #expect(Set(reasons).count == 1)
    #expect(reasons.first?.contains("operation \(refusal?.operation ?? 0)") ?? false)
    count("rejected")
  }

  /// Makes a dataset equal to a list of its items in another order, with others and without some.
  func match() throws {
    let dataset = anyDataset()
    walks.removeAll { $0.place.dataset == dataset }
    let before = datasets[dataset]
    let list = matchedList(before)
    var batch = try Self.matching(list, from: before.model)
    // Which items are moved is the engine's choice: columns are those of a layout from scratch.
    for layout in before.model.layouts.indices {
      batch.append(.init(.invalidate(everything: true), layout: layout))
    }
    try datasets[dataset].model.apply(batch)
    var data: [ExactKey: ItemData] = [:]
    let sections = try list.map { section in
      MatchedSection(
        key: section.key, style: section.style,
        items: try section.items.map { item in
          let carried =
            generator.oneIn(4)
            ? try WorldDataset.randomData(using: &generator) : before.data[ExactKey(item.key)]
          data[ExactKey(item.key)] = carried
          return try Item(item, carried)
        })
    }
    datasets[dataset].data = data
    datasets[dataset].noteRevision(since: before.present)
    let (cache, layouts) = (anyCache(), anyLayouts())
    let operations =
      [.match(sections)]
      + before.model.layouts.map {
        BatchOperation.invalidate(layout: $0.name, everything: true)
      }
    let least = Self.leastMoves(from: before.model.sections, to: list)
    record("\(cache) matches \(before.model.name), \(layouts): \(sections)")
    let commit = try caches[cache].update(before.model.name, with: operations, preparing: layouts)
    try compare(commit, of: dataset, since: before)
    #expect(commit.updates.items.count { $0.operation == .move } == least)
    let again = try caches[cache].update(before.model.name, toMatch: sections)
    #expect(again.revision == commit.revision)
    count("matched")
  }

  /// A random list: the sections and items mostly in their order.
  private func matchedList(_ dataset: WorldDataset) -> [OracleSection] {
    var sections = dataset.model.sections
    let styles = sections.map(\.style)
    if generator.oneIn(2) { sections.shuffle(using: &generator) }
    if sections.count > 1, generator.oneIn(2) { sections.removeFirst() }
    for section in sections.indices {
      if generator.oneIn(3) { sections[section].items.shuffle(using: &generator) }
      if generator.oneIn(4) { sections[section].style = styles.randomElement(using: &generator)! }
      sections[section].items.removeAll { _ in generator.oneIn(6) }
      for item in sections[section].items.indices where generator.oneIn(5) {
        let size = RandomFeed.size(using: &generator)
        sections[section].items[item].width = size.width
        sections[section].items[item].height = size.height
        sections[section].items[item].span = RandomFeed.span(using: &generator)
        sections[section].items[item].visibility =
          OracleVisibility.allCases.randomElement(using: &generator)!
      }
    }
    // Some items change their section.
    guard sections.count > 1 else { return sections }
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      guard let item = sections[0].items.popLast() else { break }
      let target = sections.count - 1
      sections[target].items.insert(
        item, at: .random(in: 0...sections[target].items.count, using: &generator))
    }
    return sections
  }

  /// The least number of moves that lead to a list: those that change their section, and those
  /// outside a longest increasing subsequence of their section.
  private static func leastMoves(
    from before: [OracleSection], to list: [OracleSection]
  ) -> Int {
    var places: [ExactKey: (section: ExactKey, index: Int)] = [:]
    for section in before {
      for (index, item) in section.items.enumerated() {
        places[ExactKey(item.key)] = (ExactKey(section.key), index)
      }
    }
    return list.reduce(0) { sum, section in
      let known = section.items.compactMap { places[ExactKey($0.key)] }
      let own = known.filter { $0.section == ExactKey(section.key) }.map(\.index)
      // The longest increasing subsequence that ends with each item.
      var lengths: [Int] = []
      for (index, value) in own.enumerated() {
        lengths.append(
          1 + (0..<index).filter { own[$0] < value }.map { lengths[$0] }.reduce(0, max))
      }
      return sum + known.count - (lengths.max() ?? 0)
    }
  }

  /// Operations that lead to a list.
  private static func matching(
    _ list: [OracleSection], from model: OracleDataset
  ) throws -> [OracleDataset.Operation] {
    var operations: [OracleOperation] = []
    let known = Set(model.sections.map { ExactKey($0.key) })
    let kept = Set(list.map { ExactKey($0.key) })
    let keptItems = Set(list.flatMap(\.items).map { ExactKey($0.key) })
    let gone = model.sections.flatMap(\.items).map(\.key).filter {
      !keptItems.contains(ExactKey($0))
    }
    operations.append(.delete(keys: gone))
    for (index, section) in list.enumerated() {
      if known.contains(ExactKey(section.key)) {
        operations.append(.moveSection(key: section.key, index: index))
        operations.append(.style(section: section.key, style: section.style))
      } else {
        operations.append(.insertSection(key: section.key, index: index, style: section.style))
      }
      // Each item goes to the end, in order.
      for item in section.items {
        operations.append(.move(key: item.key, to: .end(section: section.key)))
        operations.append(
          .resize(key: item.key, width: item.width, height: item.height, span: item.span))
        operations.append(.hide(keys: [item.key], item.visibility))
      }
    }
    for section in model.sections where !kept.contains(ExactKey(section.key)) {
      operations.append(.deleteSection(key: section.key))
    }
    return operations.map { .init($0, layout: 0) }
  }
}

extension InvalidationContext {
  /// The kinds of the layout's elements that it names.
  fileprivate var kinds: Set<String> {
    Set(supplementaryElements.map(\.rawValue)).union(decorationElements)
  }
}

extension SectionInvalidation {
  /// The kinds of elements that it names.
  fileprivate var kinds: Set<String> {
    Set(supplementaryElements.map(\.rawValue)).union(decorationElements)
  }
}
