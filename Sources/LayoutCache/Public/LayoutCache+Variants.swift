import CollectionLayout
import Dispatch
import LayoutGeometry
import LayoutStore

// The variants of responsive layouts: a layout for each requested width, laid out on first request
// and dropped when it is the least recently used of too many. While all are in use, further widths
// are answered from memory.

/// The purpose of a call on a variant.
enum VariantPurpose: Equatable {
  /// The name only: the variant need not have a result.
  case name
  /// An answer, which may be that of the previous configuration.
  case answer(Freshness)
  /// A result of the present configuration.
  case preparation
}

/// Permission to use a variant, which is not dropped in the meantime, until the permission ends.
struct VariantLease: Sendable {
  /// The variant, or the layout itself if it is not responsive.
  let layout: LayoutID
  /// The definition of a variant that is not stored.
  fileprivate(set) var temporary: TemporaryLayout?
  /// Whether the variant may be laid out.
  fileprivate var maySetUp = false
  /// Whether answers come from the last result, because too many variants are being laid out.
  fileprivate var mustLag = false

  /// Returns the permitted freshness of an answer.
  func freshness(_ requested: Freshness) -> Freshness { mustLag ? .last : requested }
}

extension LayoutCache {
  /// The result of a request for a variant.
  private enum VariantAdmission: Sendable {
    case ready(VariantLease)
    /// Other variants must be laid out before this one.
    case mustWait(LayoutID)
  }

  /// Whether calls of the current task may have new variants stored; if not, they are answered from
  /// memory.
  @TaskLocal package static var mayStoreSizes = true

  /// Runs `body` with the layout that a name means: for a width, the variant, which is created if
  /// it does not exist.
  ///
  /// Blocks while other variants are laid out for the first time. `body` is run again if the
  /// variant is dropped in the meantime, and after a layout that it misses was filed by a template.
  ///
  /// - Throws: ``LayoutCacheError``: `variant` for an invalid width; `layoutsUnderWay` after five
  ///   seconds of waiting, or at once where it would wait for the calls that it is made from; errors
  ///   of `body`.
  func onVariant<R>(
    _ layout: LayoutID, for purpose: VariantPurpose, _ body: (VariantLease) throws -> R
  ) throws -> R {
    do {
      return try followingTemplates(layout.dataset) { try onStoredVariant(layout, purpose, body) }
    } catch let error as LayoutCacheError where error.isOfMissing(layout) && !Self.mayStoreSizes {
      guard case .answer = purpose, let temporary = try templated(layout) else { throw error }
      return try body(VariantLease(layout: temporary.id, temporary: temporary))
    }
  }

  private func onStoredVariant<R>(
    _ layout: LayoutID, _ purpose: VariantPurpose, _ body: (VariantLease) throws -> R
  ) throws -> R {
    guard layout.mayBeVariant else { return try body(VariantLease(layout: layout)) }
    for attempt in 1...Budgets.variantAttempts {
      let lease = try variantLease(layout, purpose)
      defer { end(lease) }
      do {
        return try body(lease)
      } catch let error as LayoutCacheError {
        guard attempt < Budgets.variantAttempts, error.isOfMissing(lease.layout),
          try Self.mayStoreSizes || templated(layout) == nil
        else {
          throw error
        }
        variants.forgetNames()
      }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  private func variantLease(
    _ layout: LayoutID, _ purpose: VariantPurpose
  ) throws -> VariantLease {
    let begin = ContinuousClock.now
    while true {
      switch try admit(layout, for: purpose) {
      case .ready(let lease): return lease
      case .mustWait(let variant):
        let error = LayoutCacheError(.layoutsUnderWay(layout))
        // A nested call waits only for layouts of other threads.
        if store.isInCall, openDatasets.isUnderWayHere { throw error }
        repeat {
          if begin.duration(to: .now) >= Budgets.firstLayoutWait { throw error }
          _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        } while !variants.mayBeginFirstLayout(variant)
      }
    }
  }

  /// As ``onVariant(_:for:_:)``, for tasks: waits without blocking a thread.
  nonisolated(nonsending) func onVariantInTask<R: Sendable>(
    _ layout: LayoutID, for purpose: VariantPurpose,
    _ body: nonisolated(nonsending) (VariantLease) async throws -> R
  ) async throws -> R {
    guard layout.mayBeVariant else { return try await body(VariantLease(layout: layout)) }
    for attempt in 1...Budgets.variantAttempts {
      let lease = try await variantLeaseInTask(layout, purpose)
      defer { end(lease) }
      do {
        return try await body(lease)
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
    _ layout: LayoutID, _ purpose: VariantPurpose
  ) async throws -> VariantLease {
    let begin = ContinuousClock.now
    while true {
      try Task.checkCancellation()
      switch try await perform({ try $0.admit(layout, for: purpose) }) {
      case .ready(let lease): return lease
      case .mustWait(let variant):
        repeat {
          if begin.duration(to: .now) >= Budgets.firstLayoutWait {
            throw LayoutCacheError(.layoutsUnderWay(layout))
          }
          try await Task.sleep(for: .milliseconds(20))
        } while !variants.mayBeginFirstLayout(variant)
      }
    }
  }

  /// Returns what a name means if that is known and takes no waiting, and records its use. Other
  /// names are those of stored layouts.
  ///
  /// - Returns: `nil` if the file must be read first.
  func knownVariant(_ layout: LayoutID, generation: Int) -> VariantMeaning? {
    guard layout.mayBeVariant else { return .stored(layout) }
    return variants.meaning(of: layout, generation: generation)
  }

  private func end(_ lease: VariantLease) {
    guard lease.layout.mayBeVariant, lease.temporary == nil else { return }
    variants.use(lease.layout)
    if lease.maySetUp { variants.endFirstLayout(lease.layout) }
  }

  /// Returns whether reads of a layout are answered from memory.
  package func isTemporary(_ layout: LayoutID) throws -> Bool {
    if !Self.mayStoreSizes, try templated(layout) != nil { return true }
    guard layout.mayBeVariant else { return false }
    return try call { generation in
      if case .temporary? = knownVariant(layout, generation: generation) { return true }
      let found = try store.read { reader in
        try reader.variant(named: layout.layout, of: reader.requireDataset(layout.dataset))
      }
      return try found.map { try mustBeTemporary($0, in: layout.dataset) } ?? false
    }
  }

  /// Returns whether a variant has no result, and none is stored for a read.
  private func mustBeTemporary(_ found: NamedVariant, in dataset: String) throws -> Bool {
    let isKept = isReadOnly || store.isMarkedCopy
    if let row = found.row, row.hasReadableResult || !isKept { return false }
    let variant = LayoutID(found.name, of: dataset)
    return try isKept || !Self.mayStoreSizes
      || !variants.isUnderWay(variant)
        && surplus(with: variant, of: found, isRequired: false) == nil
  }

  /// Admits a call to the layout that a name means, and creates a missing variant.
  private func admit(
    _ layout: LayoutID, for purpose: VariantPurpose
  ) throws -> VariantAdmission {
    try call { generation in
      switch knownVariant(layout, generation: generation) {
      case .stored(let known)?: return .ready(VariantLease(layout: known))
      case .temporary(let known)?:
        if case .answer = purpose {
          return .ready(VariantLease(layout: known.id, temporary: known))
        }
      case nil: break
      }
      let epoch = variants.epoch
      let found = try store.read { reader in
        try reader.variant(named: layout.layout, of: reader.requireDataset(layout.dataset))
      }
      guard let found else { return .ready(VariantLease(layout: layout)) }
      let variant = LayoutID(found.name, of: layout.dataset)
      let hasResult = found.row?.hasReadableResult ?? false
      let isCurrent = hasResult && found.row?.isOutdated == false
      if isCurrent {
        variants.keep(layout, .stored(variant), generation: generation, epoch: epoch)
      }
      if isCurrent || purpose == .name && found.row != nil
        || purpose == .answer(.last) && hasResult
      {
        variants.use(variant)
        return .ready(VariantLease(layout: variant))
      }
      // An invalid width is rejected before anything is created.
      let temporary = try found.temporary(in: layout.dataset, kinds: customKinds)
      if purpose == .name {
        // Callers may hold a thread, so they do not wait.
        for other in try surplus(with: variant, of: found, isRequired: true) ?? [] {
          try drop(other)
        }
        try create(variant, isNew: false)
        return .ready(VariantLease(layout: variant))
      }
      if case .answer = purpose, try mustBeTemporary(found, in: layout.dataset) {
        variants.keep(layout, .temporary(temporary), generation: generation, epoch: epoch)
        return .ready(VariantLease(layout: variant, temporary: temporary))
      }
      guard variants.beginFirstLayout(variant) else {
        // After another configuration, the last result is an answer until it is this one's turn.
        guard hasResult, purpose != .preparation else { return .mustWait(variant) }
        variants.use(variant)
        return .ready(VariantLease(layout: variant, mustLag: true))
      }
      // Those in use are dropped once this one is laid out, which may fail.
      var isAdmitted = false
      defer { if !isAdmitted { variants.endFirstLayout(variant) } }
      if found.row == nil { try create(variant, isNew: true) }
      variants.use(variant)
      isAdmitted = true
      return .ready(VariantLease(layout: variant, maySetUp: true))
    }
  }

  private func create(_ variant: LayoutID, isNew: Bool) throws {
    do {
      _ = try commit(ChangeRequest(.addVariant(variant.layout)), to: variant.dataset)
    } catch let error as LayoutCacheError where error.isReadOnly {
      throw LayoutCacheError.unprepared(variant, inReadOnly: path)
    }
    variants.didCreate(variant, isNew: isNew)
    // Now, so that its first use is known to be this process's. The times only order the
    // variants; a later use stores them if this fails.
    try? variants.storeTimes()
  }
}

extension LayoutCacheError {
  /// Whether the error is that a layout does not exist.
  func isOfMissing(_ layout: LayoutID) -> Bool {
    switch code {
    case .noSuchLayout(let missing): missing == layout
    case .refused(_, .noSuchLayout(let name)): name.isExactly(layout.layout)
    default: false
    }
  }
}
