import CollectionLayout
import Dispatch
import LayoutGeometry
import LayoutStore

// The variants of responsive layouts: a layout for each requested width, laid out on first request
// and dropped when it is the least recently used of too many.

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
    /// Other variants must be laid out, or become idle, before this one. A caller that has waited
    /// too long gets the error.
    case mustWait(LayoutID, orElse: LayoutCacheError)
  }

  /// Runs `body` with the layout that a name means: for a width, the variant, which is created if
  /// it does not exist.
  ///
  /// Blocks while other variants are laid out for the first time. `body` is run again if the
  /// variant is dropped in the meantime, and after a layout that it misses was filed by a template.
  ///
  /// - Throws: ``LayoutCacheError``: `variant` for an invalid width; `layoutsUnderWay` or
  ///   `variantsInUse` after five seconds of waiting, or at once where it would wait for the calls
  ///   that it is made from; errors of `body`.
  func onVariant<R>(
    _ layout: LayoutID, for purpose: VariantPurpose, _ body: (VariantLease) throws -> R
  ) throws -> R {
    try followingTemplates(layout.dataset) {
      guard layout.mayBeVariant else { return try body(VariantLease(layout: layout)) }
      for attempt in 1...Budgets.variantAttempts {
        let lease = try variantLease(layout, purpose)
        defer { end(lease) }
        do {
          return try body(lease)
        } catch let error as LayoutCacheError {
          guard attempt < Budgets.variantAttempts, error.isOfMissing(lease.layout) else {
            throw error
          }
          variants.forgetNames()
        }
      }
      throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
    }
  }

  private func variantLease(
    _ layout: LayoutID, _ purpose: VariantPurpose
  ) throws -> VariantLease {
    let begin = ContinuousClock.now
    // The variants in use may be those of the calls that this one is made from.
    let isNested = store.isInCall
    while true {
      let waited = isNested ? Budgets.firstLayoutWait : begin.duration(to: .now)
      switch try admit(layout, for: purpose, waited: waited) {
      case .ready(let lease): return lease
      case .mustWait(let variant, let error):
        // A nested call waits only for layouts of other threads.
        if isNested, openDatasets.isUnderWayHere || variants.mayBeginFirstLayout(variant) {
          throw error
        }
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
      let waited = begin.duration(to: .now)
      switch try await perform({ try $0.admit(layout, for: purpose, waited: waited) }) {
      case .ready(let lease): return lease
      case .mustWait(let variant, let error):
        repeat {
          if begin.duration(to: .now) >= Budgets.firstLayoutWait { throw error }
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
    return variants.variant(named: layout, generation: generation)
  }

  private func end(_ lease: VariantLease) {
    guard lease.layout.mayBeVariant else { return }
    variants.use(lease.layout)
    if lease.maySetUp { variants.endFirstLayout(lease.layout) }
  }

  /// Admits a call to the layout that a name means, and creates a missing variant.
  ///
  /// - Parameter waited: The time that the caller has waited.
  private func admit(
    _ layout: LayoutID, for purpose: VariantPurpose, waited: Duration
  ) throws -> VariantAdmission {
    try call { generation in
      if let known = knownVariant(layout, generation: generation) {
        return .ready(VariantLease(layout: known))
      }
      let epoch = variants.epoch
      let found = try store.read { reader in
        try reader.variant(
          named: layout.layout, of: reader.requireDataset(layout.dataset))
      }
      guard let found else { return .ready(VariantLease(layout: layout)) }
      let variant = LayoutID(found.name, of: layout.dataset)
      let hasResult = found.row?.hasReadableResult ?? false
      let isCurrent = hasResult && found.row?.isOutdated == false
      if isCurrent { variants.keep(layout, variant, generation: generation, epoch: epoch) }
      if isCurrent || purpose == .name && found.row != nil
        || purpose == .answer(.last) && hasResult
      {
        variants.use(variant)
        return .ready(VariantLease(layout: variant))
      }
      // An invalid width is rejected before anything is created.
      _ = try found.configurationText(kinds: customKinds)
      if purpose == .name {
        // Callers may hold a thread, so they do not wait.
        guard let surplus = try surplus(with: variant, of: found, isUrgent: true) else {
          throw LayoutCacheError(.variantsInUse(layout, keep: found.keep))
        }
        for other in surplus { try drop(other) }
        try create(variant, isNew: false)
        return .ready(VariantLease(layout: variant))
      }
      guard variants.beginFirstLayout(variant) else {
        // After another configuration, the last result is an answer until it is this one's turn.
        guard hasResult, purpose != .preparation else {
          return .mustWait(variant, orElse: LayoutCacheError(.layoutsUnderWay(layout)))
        }
        variants.use(variant)
        return .ready(VariantLease(layout: variant, mustLag: true))
      }
      var isAdmitted = false
      defer { if !isAdmitted { variants.endFirstLayout(variant) } }
      if found.row == nil {
        let hasWaited = waited >= .milliseconds(Budgets.variantUseMilliseconds)
        // The others are dropped once this one is laid out, which may fail.
        guard try surplus(with: variant, of: found, isUrgent: hasWaited) != nil else {
          return .mustWait(
            variant, orElse: LayoutCacheError(.variantsInUse(layout, keep: found.keep)))
        }
        try create(variant, isNew: true)
      }
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
