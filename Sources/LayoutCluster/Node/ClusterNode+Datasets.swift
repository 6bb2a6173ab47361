package import LayoutCache

// The list of datasets.

extension ClusterNode {
  package func commit(_ change: CatalogChange) throws {
    try Self.mapped {
      switch change {
      case .create(let name): try createDataset(name)
      case .remove(let name):
        let head = try require(name)
        let outcome = try retrying(.idempotentWrite) {
          try store.removeDataset(head.position.dataset, named: name)
        }
        // For `deleted`, another node has removed it, or an earlier call whose answer was lost.
        if outcome == .renamed { throw LayoutCacheError(.noSuchDataset(name)) }
        if try position(of: name)?.dataset == head.position.dataset { try evict(name) }
      case .rename(let name, let other): try renameDataset(name, to: other)
      }
    }
  }

  private func createDataset(_ name: String) throws {
    let chain = [UInt8].randomName()
    let time = options.time()
    let head = try retrying(.idempotentWrite) {
      try store.createDataset(named: name, chain: chain, time: time)
    }
    try ensureResident(name)
    if head.begin != chain { throw LayoutCacheError(.datasetExists(name)) }
  }

  private func renameDataset(_ name: String, to other: String) throws {
    let head = try require(name)
    let outcome = try retrying(.idempotentWrite) {
      try store.renameDataset(head.position.dataset, from: name, to: other)
    }
    switch outcome {
    case .renamed: break
    case .nameTaken: throw LayoutCacheError(.datasetExists(other))
    case .deleted: throw LayoutCacheError(.noSuchDataset(name))
    }
    try poll()
    try ensureResident(other)
  }

  private func require(_ name: String) throws -> SharedHead {
    guard let head = try read({ try $0.dataset(named: name) }) else {
      throw LayoutCacheError(.noSuchDataset(name))
    }
    return head
  }
}
