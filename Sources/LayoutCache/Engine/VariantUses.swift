import LayoutGeometry
import Synchronization

/// The variants of responsive layouts that calls of this process use: when they were last used,
/// the names that callers use for them, and which are being laid out for the first time.
final class VariantUses: Sendable {
  private struct Name {
    var variant: LayoutID
    /// The store's generation at which the name was resolved.
    var generation: Int
  }

  private struct Content {
    /// The times of the last uses, in milliseconds since 1970.
    var times: [LayoutID: Int64] = [:]
    /// The variants whose times have advanced since they were last stored.
    var unstored: Set<LayoutID> = []
    var names: [LayoutID: Name] = [:]
    /// The number of times that names have become invalid.
    var epoch = 0
    /// The first layouts under way, and the number of calls that each serves, by dataset.
    var firstLayouts: [ExactKey: [ExactKey: Int]] = [:]

    mutating func use(_ variant: LayoutID, at now: Int64) {
      times[variant] = now
      unstored.insert(variant)
    }
  }

  private let content = Mutex(Content())

  /// The maximum number of cached names; any client may invent some.
  private static let namesMax = 4096

  // MARK: Names

  /// Returns the variant that a name means, if that is known, and records its use.
  ///
  /// - Complexity: O(1), without reading the file.
  func variant(named name: LayoutID, generation: Int, at now: Int64) -> LayoutID? {
    content.withLock { content -> LayoutID? in
      guard let known = content.names[name], known.generation == generation else { return nil }
      content.use(known.variant, at: now)
      return known.variant
    }
  }

  /// The epoch of the names that are resolved from now on.
  var epoch: Int { content.withLock { $0.epoch } }

  /// Caches the meaning of a name, unless names have become invalid since an epoch.
  func keep(_ name: LayoutID, _ variant: LayoutID, generation: Int, epoch: Int) {
    content.withLock { content in
      guard content.epoch == epoch else { return }
      if content.names.count >= Self.namesMax { content.names = [:] }
      content.names[name] = Name(variant: variant, generation: generation)
    }
  }

  /// Forgets the meanings of all names, after a change of layouts or of the list of datasets.
  func forgetNames() {
    content.withLock { content in
      content.epoch += 1
      content.names = [:]
    }
  }

  // MARK: Times

  /// Records the use of a variant.
  func use(_ variant: LayoutID, at now: Int64) {
    content.withLock { $0.use(variant, at: now) }
  }

  /// Returns the time of the last use by this process; `nil` for none.
  func lastUse(of variant: LayoutID) -> Int64? { content.withLock { $0.times[variant] } }

  /// Returns the times that have advanced since they were last returned.
  func takeUnstored() -> [LayoutID: Int64] {
    content.withLock { content in
      defer { content.unstored = [] }
      return content.times.filter { content.unstored.contains($0.key) }
    }
  }

  /// Forgets a variant that was dropped.
  func remove(_ variant: LayoutID) {
    content.withLock { content in
      content.times[variant] = nil
      content.unstored.remove(variant)
    }
  }

  // MARK: First layouts

  /// Begins a call that may lay out a variant for the first time.
  ///
  /// - Returns: `false` if as many other variants of the dataset as may be are under way.
  func beginFirstLayout(_ variant: LayoutID) -> Bool {
    content.withLock { content in
      let (dataset, name) = (ExactKey(variant.dataset), ExactKey(variant.layout))
      let present = content.firstLayouts[dataset, default: [:]]
      guard present[name] != nil || present.count < Budgets.firstLayouts else { return false }
      content.firstLayouts[dataset, default: [:]][name, default: 0] += 1
      return true
    }
  }

  /// Returns whether a call may lay out a variant for the first time, for callers that wait.
  func mayBeginFirstLayout(_ variant: LayoutID) -> Bool {
    content.withLock { content in
      let present = content.firstLayouts[ExactKey(variant.dataset)] ?? [:]
      return present[ExactKey(variant.layout)] != nil || present.count < Budgets.firstLayouts
    }
  }

  func endFirstLayout(_ variant: LayoutID) {
    content.withLock { content in
      let (dataset, name) = (ExactKey(variant.dataset), ExactKey(variant.layout))
      guard var present = content.firstLayouts[dataset], let count = present[name] else { return }
      present[name] = count > 1 ? count - 1 : nil
      content.firstLayouts[dataset] = present.isEmpty ? nil : present
    }
  }

  /// Returns whether a call that may lay out a variant for the first time is under way.
  func isUnderWay(_ variant: LayoutID) -> Bool {
    content.withLock {
      $0.firstLayouts[ExactKey(variant.dataset)]?[ExactKey(variant.layout)] != nil
    }
  }
}
