import LayoutCache

// Datasets as wholes.

extension ClusterNode {
  package func createDataset(_ name: String) throws -> Bool {
    try Self.mapped {
      let chain = [UInt8].randomName()
      let time = options.time()
      let head = try surely { try store.createDataset(named: name, chain: chain, time: time) }
      try bringHere(name)
      return head.begin == chain
    }
  }

  package func removeDataset(_ name: String) throws {
    try Self.mapped {
      let head = try require(name)
      // Another may have been faster, or a call before whose answer was lost.
      _ = try surely { try store.removeDataset(head.position.dataset) }
      if try position(of: name)?.dataset == head.position.dataset { try evict(name) }
    }
  }

  package func renameDataset(_ name: String, to other: String) throws {
    try Self.mapped {
      let head = try require(name)
      switch try surely({ try store.renameDataset(head.position.dataset, to: other) }) {
      case .isDone: break
      case .isTaken: throw LayoutCacheError(.datasetExists(other))
      case .isGone: throw LayoutCacheError(.noSuchDataset(name))
      }
      try poll()
      try bringHere(other)
    }
  }

  private func require(_ name: String) throws -> SharedHead {
    guard let head = try read({ try $0.dataset(named: name) }) else {
      throw LayoutCacheError(.noSuchDataset(name))
    }
    return head
  }

  /// Makes a call that may be made twice until it is known to be done, or not to be.
  ///
  /// - Throws: ``SharedLogFailure``; but for `isUnknown` nothing was done.
  func surely<R>(_ body: () throws -> R) throws -> R {
    if let reason = reasonNotToTry ?? reasonOfRules { throw SharedLogFailure.isAway(reason) }
    let deadline = options.now() + options.timeout
    var unknown: String?
    while true {
      do {
        return try writing(body)
      } catch let failure as SharedLogFailure {
        if case .isUnknown(let reason) = failure { unknown = reason }
        // What was sent before may have been done, or come yet.
        guard let unknown else { throw failure }
        if options.now() >= deadline { throw SharedLogFailure.isUnknown(unknown) }
        options.pause(.milliseconds(50))
      }
    }
  }
}
