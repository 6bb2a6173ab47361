package import LayoutCache
import LayoutReplication
import Synchronization

// The list of datasets.

extension ClusterNode {
  package func commit(_ change: CatalogChange) throws {
    try Self.mapped {
      switch change {
      case .create(let name): try createDataset(name)
      case .remove(let name, let expected):
        try alone(with: name) { try self.removeDataset(name, expected, $0) }
      case .rename(let name, let other, let expected):
        try alone(with: name, and: other) {
          try self.renameDataset(name, to: other, expected, $0, $1)
        }
        try afterLogging { try ensureResident(other) }
      case .setTemplate, .removeTemplate:
        try commitTemplates(change)
      }
    }
  }

  private func commitTemplates(_ change: CatalogChange) throws {
    var next = try retrying(.invisible) { try store.templates() }
    next.number += 1
    next.bytes = try LayoutCache.templates(next.bytes, after: change, numbered: next.number)
    try writing {
      try store.putTemplates(next)
    } thenReading: { reader in
      let present = try reader.templates()
      if present == next { return .made }
      return present.number < next.number
        ? .missing : .rejected(.concurrentModification(dataset: ""))
    }
    try afterLogging { try take(next) }
  }

  /// Stores the templates of the log, if their last change is not the one that the node has stored.
  func followTemplates(to number: Int) throws {
    guard templates.withLock({ $0 ?? -1 }) < number else { return }
    try take(number == 0 ? SharedTemplates() : read { try $0.templates() })
  }

  private func take(_ shared: SharedTemplates) throws {
    try templates.withLock { known in
      // Another thread may have taken later ones.
      guard known ?? -1 < shared.number else { return }
      try cache.putTemplates(shared.bytes, numbered: shared.number)
      known = shared.number
    }
  }

  private func createDataset(_ name: String) throws {
    let chain = [UInt8].randomName()
    let time = options.time()
    let head = try make(name, chain) {
      try store.createDataset(named: name, chain: chain, time: time, beginningWith: nil)
    }
    guard head.begin == chain else {
      try ensureResident(name)
      throw LayoutCacheError(.datasetExists(name))
    }
    try afterLogging { try ensureResident(name) }
  }

  /// Creates a dataset, or finds the one that already has the name.
  ///
  /// The call is not made twice: if another client has renamed or removed the dataset after the
  /// first, the second would create another one with the same contents.
  ///
  /// - Returns: The dataset in the log, confirmed. It is new if it begins with `chain`.
  func make(_ name: String, _ chain: [UInt8], _ create: () throws -> SharedHead) throws
    -> SharedHead
  {
    try requireLog()
    var unknown: String?
    do {
      // Its removal, and a new dataset of the name, may follow before it is looked up.
      if try writing(create).begin == chain { unknown = "the dataset was created, but was removed" }
    } catch SharedLogFailure.unknown(let reason) {
      unknown = reason
    }
    let head: SharedHead?
    do {
      head = try retrying(.invisible) { try store.dataset(named: name) }
    } catch let failure as SharedLogFailure {
      throw SharedLogFailure.unknown(unknown ?? "\(failure)")
    }
    if let head, head.begin == chain || unknown == nil { return head }
    throw SharedLogFailure.unknown(unknown ?? "the log does not have the dataset now")
  }

  /// The number of a removed dataset is never reused, so the call can be repeated.
  private func removeDataset(
    _ name: String, _ expected: Int?, _ queue: DatasetCommitQueue
  ) throws {
    let (head, position) = try require(name, at: expected, queue)
    let id = head.position.dataset
    try writing {
      try store.removeDataset(id, named: name, at: position)
    } thenReading: { reader in
      guard let head = try reader.look(at: [id]).heads.first else { return .made }
      // Another client may have given it another name first.
      guard head.name.isExactly(name) else { return .rejected(.noSuchDataset(name)) }
      return Self.outcome(at: head, position)
    }
    try afterLogging {
      if try self.position(of: name)?.dataset == id { try forgetHere(queue) }
    }
  }

  private func renameDataset(
    _ name: String, to other: String, _ expected: Int?, _ queue: DatasetCommitQueue,
    _ otherQueue: DatasetCommitQueue
  ) throws {
    var (head, position) = try require(name, at: expected, queue)
    let (id, tag, newTag) = (head.position.dataset, head.nameTag, [UInt8].randomName())
    try writing {
      try store.renameDataset(id, tagged: tag, to: other, tagged: newTag, at: position)
    } thenReading: { reader in
      let present = try reader.look(at: [id]).heads.first
      if present?.nameTag == newTag { return .made }
      // Another client's rename, and perhaps another one back, excludes this one.
      guard let present, present.nameTag == tag else { return .rejected(.noSuchDataset(name)) }
      if try reader.dataset(named: other) != nil { return .rejected(.datasetExists(other)) }
      return Self.outcome(at: present, position)
    }
    head.name = other
    try afterLogging { try takeName(head, from: queue, to: otherQueue) }
  }

  /// - Parameter expected: The revision that the dataset must have at the end of its log; `nil` for
  ///   any.
  /// - Returns: Also the position with that revision; `nil` for any.
  private func require(
    _ name: String, at expected: Int?, _ queue: DatasetCommitQueue
  ) throws -> (SharedHead, SharedPosition?) {
    guard let head = try find(name) else { throw LayoutCacheError(.noSuchDataset(name)) }
    guard let expected else { return (head, nil) }
    try ensureResident(name, queue)
    try follow(name, queue, [])
    let present = try cache.revision(of: name)
    if expected == present { return (head, try position(of: name)) }
    throw LayoutCacheError(.revisionMismatch(expected: expected, present: present, dataset: name))
  }

  /// - Parameter position: The position at which the log of the dataset must end; `nil` for any.
  private static func outcome(at head: SharedHead, _ position: SharedPosition?) -> Outcome {
    position ?? head.position == head.position
      ? .missing : .rejected(.concurrentModification(dataset: head.name))
  }

  /// The outcome of a write, according to a confirmed read.
  private enum Outcome {
    case made
    /// The log does not have the write, but may still get it.
    case missing
    /// The log does not have the write, and does not admit it now.
    case rejected(LayoutCacheError.Code)
  }

  /// Makes a write until the log has it.
  ///
  /// - Parameters:
  ///   - write: A write that may be made twice. Returns whether it had its effect; if not, that is
  ///     unconfirmed: a deposed server answers from rows that no other server has.
  ///   - read: Returns what a confirmed read shows.
  private func writing(
    _ write: () throws -> Bool, thenReading read: (any SharedLog) throws -> Outcome
  ) throws {
    var attemptCount = 0
    let rejection = try retrying(.idempotentWrite) { () -> LayoutCacheError? in
      attemptCount += 1
      if try write() { return nil }
      let outcome: Outcome
      do {
        outcome = try read(store)
      } catch let failure as SharedLogFailure {
        throw SharedLogFailure.unknown("\(failure)")
      }
      switch outcome {
      case .made: return nil
      case .missing: throw SharedLogFailure.unknown("the log does not contain the change")
      case .rejected(let code): return LayoutCacheError(code)
      }
    }
    guard let rejection else { return }
    // An earlier attempt may have been applied before a change of another client, or may still be.
    if attemptCount > 1 { throw SharedLogFailure.unknown("it was sent again; now, \(rejection)") }
    throw rejection
  }

  /// Runs `body` after the log has a change. Its failure is not that of the change.
  func afterLogging<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error where error is LayoutCacheError || error is SharedLogFailure {
      throw SharedLogFailure.unknown(
        "the change was logged, but this node cannot show it yet: \(error)")
    }
  }
}
