package import LayoutCache

// The list of datasets.

extension ClusterNode {
  package func commit(_ change: CatalogChange) throws {
    try Self.mapped {
      switch change {
      case .create(let name): try createDataset(name)
      case .remove(let name): try alone(with: name) { try self.removeDataset(name, $0) }
      case .rename(let name, let other):
        try alone(with: name, and: other) { try self.renameDataset(name, to: other, $0, $1) }
        try afterLogging { try ensureResident(other) }
      }
    }
  }

  private func createDataset(_ name: String) throws {
    let chain = [UInt8].randomName()
    let time = options.time()
    let head = try make(name, chain) {
      _ = try store.createDataset(named: name, chain: chain, time: time)
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
  func make(_ name: String, _ chain: [UInt8], _ create: () throws -> Void) throws -> SharedHead {
    try requireContact()
    var unknown: String?
    do {
      try writing(create)
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
    throw SharedLogFailure.unknown(
      unknown ?? "the dataset was created, but the log does not have it now")
  }

  private func removeDataset(_ name: String, _ queue: DatasetCommitQueue) throws {
    let id = try require(name).position.dataset
    let (present, isRepeated) = try writing {
      _ = try store.removeDataset(id, named: name)
    } thenReading: { reader -> SharedHead?? in
      let head = try reader.look(at: [id]).heads.first
      return head?.name.isExactly(name) ?? false ? nil : .some(head)
    }
    // Another client has given it another name first.
    if present != nil { throw rejection(.noSuchDataset(name), isRepeated) }
    try afterLogging {
      if try position(of: name)?.dataset == id { try forgetHere(queue) }
    }
  }

  private func renameDataset(
    _ name: String, to other: String, _ queue: DatasetCommitQueue,
    _ otherQueue: DatasetCommitQueue
  ) throws {
    let id = try require(name).position.dataset
    let ((present, taker), isRepeated) = try writing {
      _ = try store.renameDataset(id, from: name, to: other)
    } thenReading: { reader -> (SharedHead?, SharedHead?)? in
      let (head, taker) = (
        try reader.look(at: [id]).heads.first, try reader.dataset(named: other)
      )
      let isOpen = head?.name.isExactly(name) ?? false && taker == nil
      return isOpen ? nil : (head, taker)
    }
    guard let present, present.name.isExactly(other) else {
      throw rejection(
        taker != nil && present != nil ? .datasetExists(other) : .noSuchDataset(name), isRepeated)
    }
    try afterLogging { try takeName(present, from: queue, to: otherQueue) }
  }

  private func require(_ name: String) throws -> SharedHead {
    guard let head = try find(name) else { throw LayoutCacheError(.noSuchDataset(name)) }
    return head
  }

  // MARK: Outcomes

  /// Makes a write that may be made twice, and returns its result in the log.
  ///
  /// Only a confirmed read tells the result. The answer to the write does not: a deposed server
  /// gives it from rows that no other server has, such as those of an earlier attempt.
  ///
  /// - Parameter read: Returns the result; `nil` if the log does not contain the write, which is
  ///   then made again.
  /// - Returns: The result, and whether the write was made more than once.
  private func writing<R>(
    _ write: () throws -> Void, thenReading read: (any SharedLog) throws -> R?
  ) throws -> (result: R, isRepeated: Bool) {
    var attemptCount = 0
    let result = try retrying(.idempotentWrite) {
      attemptCount += 1
      try write()
      let result: R?
      do {
        result = try read(store)
      } catch let failure as SharedLogFailure {
        throw SharedLogFailure.unknown("\(failure)")
      }
      guard let result else {
        throw SharedLogFailure.unknown("the log does not contain the acknowledged change")
      }
      return result
    }
    return (result, attemptCount > 1)
  }

  /// Returns the error for a change that the log does not show. If it was sent more than once, an
  /// earlier attempt may have been applied before a change of another client, or may still be.
  private func rejection(_ code: LayoutCacheError.Code, _ isRepeated: Bool) -> any Error {
    let error = LayoutCacheError(code)
    return isRepeated ? SharedLogFailure.unknown("it was sent again; now, \(error)") : error
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
