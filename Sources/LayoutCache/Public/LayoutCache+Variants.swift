import CollectionLayout
import Dispatch
import LayoutGeometry
import LayoutStore

// The variants of responsive layouts: a layout for each requested width, laid out on first request
// and dropped when it is the least recently used of too many.

/// Permission to use a variant, which is not dropped in the meantime, until the permission ends.
struct VariantLease: Sendable {
  /// The variant, or the layout itself if it is not responsive.
  let layout: LayoutID
  /// Whether the variant may be laid out for the first time.
  fileprivate let isFirst: Bool
}

extension LayoutCache {
  /// The result of a request for a variant.
  enum VariantAdmission: Sendable {
    case ready(VariantLease)
    /// Other variants must be laid out, or become idle, before this one.
    case mustWait(LayoutID)
  }

  /// Runs `body` with the layout that a name means: for a width, the variant, which is created if
  /// it does not exist.
  ///
  /// Blocks while other variants are laid out for the first time. `body` is run again if the
  /// variant is dropped in the meantime.
  ///
  /// - Throws: ``LayoutCacheError``: `variant` for an invalid width, `layoutsUnderWay` after five
  ///   seconds of waiting; errors of `body`.
  func onVariant<R>(_ layout: LayoutID, _ body: (LayoutID) throws -> R) throws -> R {
    guard layout.mayBeVariant else { return try body(layout) }
    for attempt in 1...Budgets.variantAttempts {
      let lease = try variantLease(layout)
      defer { end(lease) }
      do {
        return try body(lease.layout)
      } catch let error as LayoutCacheError {
        guard attempt < Budgets.variantAttempts, error.isOfMissing(lease.layout) else {
          throw error
        }
        variants.forgetNames()
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  private func variantLease(_ layout: LayoutID) throws -> VariantLease {
    let begin = ContinuousClock.now
    while true {
      switch try admit(layout, waited: begin.duration(to: .now)) {
      case .ready(let lease): return lease
      case .mustWait(let variant):
        repeat {
          try layout.requireTime(after: begin.duration(to: .now))
          _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        } while !variants.mayBeginFirstLayout(variant)
      }
    }
  }

  /// As ``onVariant(_:_:)``, for tasks: waits without blocking a thread.
  nonisolated(nonsending) func onVariantInTask<R: Sendable>(
    _ layout: LayoutID, _ body: nonisolated(nonsending) (LayoutID) async throws -> R
  ) async throws -> R {
    guard layout.mayBeVariant else { return try await body(layout) }
    for attempt in 1...Budgets.variantAttempts {
      let lease = try await variantLeaseInTask(layout)
      defer { end(lease) }
      do {
        return try await body(lease.layout)
      } catch let error as LayoutCacheError {
        guard attempt < Budgets.variantAttempts, error.isOfMissing(lease.layout) else {
          throw error
        }
        variants.forgetNames()
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  private nonisolated(nonsending) func variantLeaseInTask(
    _ layout: LayoutID
  ) async throws -> VariantLease {
    let begin = ContinuousClock.now
    while true {
      try Task.checkCancellation()
      let waited = begin.duration(to: .now)
      switch try await perform({ try $0.admit(layout, waited: waited) }) {
      case .ready(let lease): return lease
      case .mustWait(let variant):
        repeat {
          try layout.requireTime(after: begin.duration(to: .now))
          try await Task.sleep(for: .milliseconds(20))
        } while !variants.mayBeginFirstLayout(variant)
      }
    }
  }

  /// Returns the variant that a name means if that is known and takes no waiting, and records its
  /// use. Other names are returned unchanged.
  ///
  /// - Returns: `nil` if the file must be read first.
  func knownVariant(_ layout: LayoutID, generation: Int) -> LayoutID? {
    guard layout.mayBeVariant else { return layout }
    return variants.variant(named: layout, generation: generation, at: clock.now())
  }

  /// Ends the use of a variant.
  func end(_ lease: VariantLease) {
    guard lease.layout.mayBeVariant else { return }
    variants.use(lease.layout, at: clock.now())
    if lease.isFirst { variants.endFirstLayout(lease.layout) }
  }

  /// Admits a call to the layout that a name means, and creates a missing variant.
  ///
  /// - Parameter waited: The time that the caller has waited.
  private func admit(_ layout: LayoutID, waited: Duration) throws -> VariantAdmission {
    try call { generation in
      if let known = knownVariant(layout, generation: generation) {
        return .ready(VariantLease(layout: known, isFirst: false))
      }
      let epoch = variants.epoch
      let found = try store.read { reader in
        try reader.variant(
          named: layout.layout, of: reader.requireDataset(layout.dataset))
      }
      guard let found else { return .ready(VariantLease(layout: layout, isFirst: false)) }
      let variant = LayoutID(found.name, of: layout.dataset)
      if let row = found.row, row.hasReadableResult, !row.isOutdated {
        variants.use(variant, at: clock.now())
        variants.keep(layout, variant, generation: generation, epoch: epoch)
        return .ready(VariantLease(layout: variant, isFirst: false))
      }
      // An invalid width is rejected before anything is created.
      _ = try found.configurationText(kinds: customKinds)
      guard variants.beginFirstLayout(variant) else { return .mustWait(variant) }
      var isAdmitted = false
      defer { if !isAdmitted { variants.endFirstLayout(variant) } }
      if found.row == nil {
        guard try makeRoom(for: variant, of: found, waited: waited) else {
          return .mustWait(variant)
        }
        try create(variant)
      }
      variants.use(variant, at: clock.now())
      isAdmitted = true
      return .ready(VariantLease(layout: variant, isFirst: true))
    }
  }

  /// Drops the least recently used variants until there is room for one more.
  ///
  /// - Returns: `false` if the caller must wait: the variants have been used within the last
  ///   second. If each of them is used all the time, some more than the layout keeps are accepted.
  private func makeRoom(
    for variant: LayoutID, of found: NamedVariant, waited: Duration
  ) throws -> Bool {
    let others = try store.read { reader in
      try reader.variants(of: found.parent).map { row in
        let id = LayoutID(row.name, of: variant.dataset)
        return (id: id, used: try variants.lastUse(of: id) ?? reader.variant(of: row.id)?.used ?? 0)
      }
    }
    if others.contains(where: { $0.id == variant }) { return true }
    let excess = others.count + 1 - found.keep
    guard excess > 0 else { return true }
    let now = clock.now()
    // The system clock may be set back.
    let idle = others.filter {
      abs(now - $0.used) >= Budgets.variantUseMilliseconds && !variants.isUnderWay($0.id)
    }.sorted { ($0.used, $0.id.layout) < ($1.used, $1.id.layout) }
    for (id, _) in idle.prefix(excess) { try drop(id) }
    return idle.count >= excess
      || waited >= .milliseconds(Budgets.variantUseMilliseconds)
        && others.count - idle.count < 2 * found.keep
  }

  private func create(_ variant: LayoutID) throws {
    do {
      _ = try commit(ChangeRequest(.addVariant(variant.layout)), to: variant.dataset)
    } catch let error as LayoutCacheError where error.isReadOnly {
      throw LayoutCacheError(
        .database(.busy, message: "\(variant) must be prepared by a writing process: \(error)"))
    }
    // The times only order the variants; a later call stores them.
    try? storeVariantUses()
  }

  /// Drops a variant with its measured lengths, unless another process has dropped it.
  func drop(_ variant: LayoutID) throws {
    do {
      try dropLengths(of: variant)
      _ = try commit(ChangeRequest(.removeLayout(variant.layout)), to: variant.dataset)
    } catch let error as LayoutCacheError where error.isOfMissing(variant) {
      return
    }
    variants.remove(variant)
    reclaimAfterCommit()
  }

  /// Records when variants were last used, so that the next process knows their order.
  func storeVariantUses() throws {
    // Another process's file, or a node's: the times are not part of its history.
    let times = variants.takeUnstored()
    if times.isEmpty { return }
    try mappingErrors(path) {
      try store.write { writer in
        for (variant, time) in times {
          guard let dataset = try writer.reader.dataset(named: variant.dataset),
            let row = try writer.reader.layout(named: variant.layout, of: dataset.id)
          else {
            variants.remove(variant)
            continue
          }
          try writer.put(VariantRow(layout: row.id, created: time, used: time))
        }
      }
    }
  }
}

extension LayoutID {
  /// Whether the name may be that of a variant.
  package var mayBeVariant: Bool { layout.utf8.contains(UInt8(ascii: "@")) }

  /// - Throws: ``LayoutCacheError`` with `layoutsUnderWay` if a caller has waited too long.
  fileprivate func requireTime(after waited: Duration) throws {
    if waited >= Budgets.firstLayoutWait { throw LayoutCacheError(.layoutsUnderWay(self)) }
  }
}

extension LayoutCacheError {
  /// Whether the error is that a layout does not exist.
  fileprivate func isOfMissing(_ layout: LayoutID) -> Bool {
    switch code {
    case .noSuchLayout(let missing): missing == layout
    case .refused(let refused):
      if case .noSuchLayout(let name) = refused.reason { name == layout.layout } else { false }
    default: false
    }
  }
}
