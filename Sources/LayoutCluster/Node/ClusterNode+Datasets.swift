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
      }
    }
  }

  private func createDataset(_ name: String) throws {
    let chain = [UInt8].randomName()
    let time = options.time()
    let head = try make(name) {
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
  /// - Returns: The dataset in the log, confirmed.
  func make(_ name: String, _ create: () throws -> Void) throws -> SharedHead {
    try writing(create, thenReading: { try $0.dataset(named: name) })
  }

  private func removeDataset(_ name: String, _ queue: DatasetCommitQueue) throws {
    let id = try require(name).position.dataset
    let present = try writing {
      _ = try store.removeDataset(id, named: name)
    } thenReading: { reader -> SharedHead?? in
      let head = try reader.look(at: [id]).heads.first
      return head?.name.isExactly(name) ?? false ? nil : .some(head)
    }
    // Another client has given it another name first.
    if present != nil { throw LayoutCacheError(.noSuchDataset(name)) }
    try afterLogging {
      if try position(of: name)?.dataset == id { try forgetHere(queue) }
    }
  }

  private func renameDataset(
    _ name: String, to other: String, _ queue: DatasetCommitQueue,
    _ otherQueue: DatasetCommitQueue
  ) throws {
    let id = try require(name).position.dataset
    let (present, taker) = try writing {
      _ = try store.renameDataset(id, from: name, to: other)
    } thenReading: { reader -> (SharedHead?, SharedHead?)? in
      let (head, taker) = (
        try reader.look(at: [id]).heads.first, try reader.dataset(named: other)
      )
      let isOpen = head?.name.isExactly(name) ?? false && taker == nil
      return isOpen ? nil : (head, taker)
    }
    guard let present, present.name.isExactly(other) else {
      throw LayoutCacheError(
        taker != nil && present != nil ? .datasetExists(other) : .noSuchDataset(name))
    }
    try afterLogging {
      try takeName(present, from: queue, to: otherQueue)
      try ensureResident(other, otherQueue)
    }
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
  private func writing<R>(
    _ write: () throws -> Void, thenReading read: (any SharedLog) throws -> R?
  ) throws -> R {
    try retrying(.idempotentWrite) {
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
