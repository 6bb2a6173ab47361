import LayoutStore

// Dropping the least recently used variants of responsive layouts.

extension LayoutCache {
  /// Returns the least recently used variants, to be dropped for one more.
  ///
  /// - Parameter isRequired: Whether those in use are dropped too, but for those of the last second:
  ///   they may be of the same batch.
  /// - Returns: `nil` if the layout keeps as many variants as it may, all of them in use.
  func surplus(
    with variant: LayoutID, of found: NamedVariant, isRequired: Bool
  ) throws -> [LayoutID]? {
    let others = try store.read { reader in
      try reader.variants(of: found.parent).map { row in
        let id = LayoutID(row.name, of: variant.dataset)
        return (id: id, times: variants.times(of: id, try reader.variant(of: row.id)))
      }
    }.filter { $0.id != variant }
    let surplusCount = others.count + 1 - found.keep
    if surplusCount <= 0 { return [] }
    let now = clock.now()
    let protection =
      isRequired ? Budgets.variantUseMilliseconds : Budgets.idleVariantMilliseconds
    let surplus = others.filter {
      !variants.isUnderWay($0.id) && !$0.times.isUsed(within: protection, of: now)
    }.sorted { ($0.times.last, $0.id.layout) < ($1.times.last, $1.id.layout) }
      .prefix(surplusCount)
    return surplus.count == surplusCount || isRequired ? surplus.map(\.id) : nil
  }

  /// Drops the variants that a new one replaces, once it is laid out.
  func didLayOut(_ variant: LayoutID) {
    guard variants.endNew(variant) else { return }
    // A failure leaves them to the next new variant.
    try? call { _ in
      let found = try store.read { reader in
        try reader.variant(named: variant.layout, of: reader.requireDataset(variant.dataset))
      }
      guard let found else { return }
      for other in try surplus(with: variant, of: found, isRequired: true) ?? [] { try drop(other) }
    }
  }

  /// Drops a new variant that could not be laid out, unless another thread is doing so.
  func didFailToLayOut(_ variant: LayoutID) {
    guard !openDatasets.isUnderWay(variant), variants.endNew(variant) else { return }
    // A failure leaves a variant without a result, which is dropped like others.
    try? drop(variant)
  }

  /// Drops a variant, unless another process has dropped it. Its measured lengths have no effect
  /// from then on, and no revision is needed to remove them.
  func drop(_ variant: LayoutID) throws {
    do {
      _ = try commit(ChangeRequest(.removeLayout(variant.layout)), to: variant.dataset)
    } catch let error as LayoutCacheError where error.isOfMissing(variant) {
      return
    }
    variants.remove(variant)
    reclaimAfterCommit()
  }
}
