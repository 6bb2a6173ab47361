import LayoutGeometry
import LayoutStore
import Synchronization

// Dropping the least recently used variants of responsive layouts.

extension LayoutCache {
  /// A variant that may be dropped.
  private struct KnownVariant {
    let id: LayoutID
    let times: VariantTimes
    /// Whether this process or an earlier one with the file has used it since its creation.
    let isUsedHere: Bool

    /// Whether it is dropped before another one.
    func isOlder(than other: KnownVariant) -> Bool {
      (times.last, id.layout) < (other.times.last, other.id.layout)
    }
  }

  /// Returns the least recently used variants, to be dropped for one more.
  ///
  /// If all variants are in constant use, up to twice as many as the layout keeps are accepted. A
  /// node of a cluster knows only its own requests, so it counts only the variants that it has
  /// used. Others are dropped if all together are more than twice as many as the layout keeps.
  ///
  /// - Parameter isUrgent: Whether more than the layout keeps are accepted at once.
  /// - Returns: `nil` if the caller must wait until variants become idle.
  func surplus(
    with variant: LayoutID, of found: NamedVariant, isUrgent: Bool
  ) throws -> [LayoutID]? {
    let others = try knownVariants(of: found.parent, in: variant.dataset)
      .filter { $0.id != variant }
    let now = clock.now()
    let idle = others.filter { $0.times.isIdle(at: now) && !variants.isUnderWay($0.id) }
      .sorted { $0.isOlder(than: $1) }
    let isNode = joined.withLock { $0.coordinator } != nil
    let countHere = others.count { !isNode || $0.isUsedHere }
    let here = idle.filter { !isNode || $0.isUsedHere }
    let first = here.prefix(max(0, countHere + 1 - found.keep))
    let last = (idle.filter { isNode && !$0.isUsedHere } + here.dropFirst(first.count))
      .prefix(max(0, others.count - first.count + 1 - 2 * found.keep))
    let hasRoom =
      others.count - first.count - last.count < 2 * found.keep
      && (countHere - first.count < found.keep || isUrgent)
    return hasRoom ? (first + last).map(\.id) : nil
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
      for other in try surplus(with: variant, of: found, isUrgent: true) ?? [] { try drop(other) }
    }
  }

  /// Drops a new variant that could not be laid out, unless another thread is doing so.
  func didFailToLayOut(_ variant: LayoutID) {
    guard !openDatasets.isUnderWay(variant), variants.endNew(variant) else { return }
    // A failure leaves a variant without a result, which is dropped like others.
    try? drop(variant)
  }

  private func knownVariants(
    of parent: LayoutRow, in dataset: String
  ) throws -> [KnownVariant] {
    try store.read { reader in
      try reader.variants(of: parent).map { row in
        let (id, stored) = (LayoutID(row.name, of: dataset), try reader.variant(of: row.id))
        let times = variants.times(of: id, stored)
        return KnownVariant(
          id: id, times: times,
          isUsedHere: times.own != nil || stored.map { $0.used > $0.created } ?? false)
      }
    }
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
