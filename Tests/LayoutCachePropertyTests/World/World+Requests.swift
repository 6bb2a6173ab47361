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
      guard case .refused(let refused)? = (error as? LayoutCacheError)?.code else { return false }
      if case .markMismatch = refused.reason { return true }
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
          applied.commit, of: numbers[index], since: states[index].before,
          to: states[index].after)
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
