import LayoutGeometry
import LayoutStore
import Synchronization

/// The meaning of a variant's name.
enum VariantMeaning {
  /// A variant in the file, by its name there.
  case stored(LayoutID)
  /// One that is answered from memory.
  case temporary(TemporaryLayout)
}

/// The variants of responsive layouts that calls use: when they were last used, the names that
/// callers use for them, and which are being laid out for the first time.
///
/// Each process stores the times of its uses about once a second, off the path of queries. They only
/// order the variants and protect those in use, so one that is lost does no harm.
final class VariantUses: Sendable {
  private struct Name {
    var meaning: VariantMeaning
    /// The store's generation at which the name was resolved.
    var generation: Int
    /// The time at which it was, in milliseconds since 1970.
    var time: Int64
    /// Whether the caller could have the variant stored.
    var mayStore: Bool

    var isTemporary: Bool { if case .temporary = meaning { true } else { false } }
  }

  private struct Content {
    var times: [LayoutID: VariantTimes] = [:]
    /// Whether the times will be stored soon.
    var isStoringDue = false
    var names: [LayoutID: Name] = [:]
    /// The number of times that names have become invalid.
    var epoch = 0
    /// The first layouts under way, and the number of calls that each serves, by dataset.
    var firstLayouts: [ExactKey: [ExactKey: Int]] = [:]
    /// The variants that this process has created and not laid out since.
    var new: Set<LayoutID> = []

    /// - Returns: Whether the times must be stored, and nothing is about to do so.
    mutating func use(_ variant: LayoutID, at now: Int64) -> Bool {
      times[variant, default: VariantTimes()].own = now
      defer { isStoringDue = true }
      return !isStoringDue
    }
  }

  private let content = Mutex(Content())
  private let store: Store
  private let clock: WallClock
  private let executor: any TaskExecutor

  /// The maximum number of cached names; any client may invent some.
  private static let namesMax = 4096

  /// - Parameter executor: Stores the times.
  init(_ store: Store, _ clock: WallClock, _ executor: any TaskExecutor) {
    self.store = store
    self.clock = clock
    self.executor = executor
  }

  // MARK: Names

  /// Returns what a name means, if that is known, and records the use of a stored variant.
  ///
  /// - Complexity: O(1), without reading the file.
  func meaning(of name: LayoutID, generation: Int) -> VariantMeaning? {
    let now = clock.now()
    let (meaning, mustStore) = content.withLock { content -> (VariantMeaning?, Bool) in
      guard let known = content.names[name], known.generation == generation else {
        return (nil, false)
      }
      switch known.meaning {
      case .stored(let variant): return (known.meaning, content.use(variant, at: now))
      case .temporary:
        // It may be stored by now: another one may have become idle.
        let isValid =
          abs(now - known.time) < Budgets.temporaryNameMilliseconds
          && (known.mayStore || !LayoutCache.mayStoreSizes)
        return (isValid ? known.meaning : nil, false)
      }
    }
    if mustStore { storeSoon() }
    return meaning
  }

  /// The epoch of the names that are resolved from now on.
  var epoch: Int { content.withLock { $0.epoch } }

  /// Caches the meaning of a name, unless names have become invalid since an epoch.
  func keep(_ name: LayoutID, _ meaning: VariantMeaning, generation: Int, epoch: Int) {
    let now = clock.now()
    content.withLock { content in
      guard content.epoch == epoch else { return }
      if content.names.count >= Self.namesMax { content.names = [:] }
      // They have configurations, so their number is bounded like that of results.
      if case .temporary = meaning,
        content.names.values.count(where: \.isTemporary) >= Budgets.temporaryResults
      {
        content.names = content.names.filter { !$0.value.isTemporary }
      }
      content.names[name] = Name(
        meaning: meaning, generation: generation, time: now, mayStore: LayoutCache.mayStoreSizes)
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
  func use(_ variant: LayoutID) {
    let now = clock.now()
    if content.withLock({ $0.use(variant, at: now) }) { storeSoon() }
  }

  /// Records the creation of a variant by this process, which is a use. The file has the time of
  /// the creation.
  ///
  /// - Parameter isNew: Whether it is to be laid out now; see ``endNew(_:)``.
  func didCreate(_ variant: LayoutID, isNew: Bool) {
    let now = clock.now()
    let mustStore = content.withLock { content in
      if isNew { content.new.insert(variant) }
      return content.use(variant, at: now)
    }
    if mustStore { storeSoon() }
  }

  /// Records the uses of the variants among some layouts.
  func use(_ layouts: [String], of dataset: String) {
    for layout in layouts {
      let layout = LayoutID(layout, of: dataset)
      if layout.mayBeVariant { use(layout) }
    }
  }

  /// Returns the known times of a variant.
  ///
  /// - Parameter row: The stored times; `nil` if none are recorded.
  func times(of variant: LayoutID, _ row: VariantRow?) -> VariantTimes {
    content.withLock { content in
      var times = content.times[variant] ?? VariantTimes()
      if let row { times.note(stored: row.used) }
      // Of a variant that this process does not use, the file has all times.
      if content.times[variant] != nil { content.times[variant] = times }
      return times
    }
  }

  private func storeSoon() {
    Task.detached(executorPreference: executor) { [weak self] in
      // Cancellation is not possible; a failure to write loses only times.
      try? await Task.sleep(for: .milliseconds(Budgets.variantUseMilliseconds))
      try? self?.storeTimes()
    }
  }

  /// Stores when this process has last used variants, for other processes and the next one.
  ///
  /// On a node of a cluster this changes only the file: the times are not part of its history.
  ///
  /// - Throws: `StoreError`.
  func storeTimes() throws {
    let now = clock.now()
    let unstored = content.withLock { content in
      content.isStoringDue = false
      return content.times.filter { $0.value.isUnstored }
    }
    if unstored.isEmpty || store.isMarkedCopy { return }
    try store.write { writer in
      for (variant, times) in unstored {
        guard let dataset = try writer.reader.dataset(named: variant.dataset),
          let layout = try writer.reader.layout(named: variant.layout, of: dataset.id)
        else { continue }
        try writer.put(VariantRow(layout: layout.id, created: times.last, used: times.last))
      }
    }
    content.withLock { content in
      for (variant, times) in unstored { content.times[variant]?.note(stored: times.last) }
      // The file has the times of variants that are not used any longer, or they were dropped.
      content.times = content.times.filter {
        $0.value.isUnstored || now - $0.value.last < Budgets.knownUseMilliseconds
      }
    }
  }

  /// Forgets a variant that was dropped.
  func remove(_ variant: LayoutID) {
    content.withLock { $0.times[variant] = nil }
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

  /// Ends the first layout of a variant for all calls that it serves: it has a result, or will
  /// have none.
  ///
  /// - Returns: Whether this process has created the variant for it.
  func endNew(_ variant: LayoutID) -> Bool {
    content.withLock { content in
      var present = content.firstLayouts[ExactKey(variant.dataset)] ?? [:]
      present[ExactKey(variant.layout)] = nil
      content.firstLayouts[ExactKey(variant.dataset)] = present.isEmpty ? nil : present
      return content.new.remove(variant) != nil
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

/// The time at which a variant was last used, in milliseconds since 1970.
struct VariantTimes {
  /// The last use by this process; 0 for none.
  fileprivate(set) var own: Int64 = 0
  /// The last known time in the file, of this process's use or another's; 0 for none.
  private var stored: Int64 = 0

  /// The last known use; 0 for none.
  var last: Int64 { max(own, stored) }

  fileprivate var isUnstored: Bool { own > stored }

  /// Returns whether the variant was used within a number of milliseconds, as far as is known.
  func isUsed(within interval: Int64, of now: Int64) -> Bool {
    // The system clock may be set back.
    abs(now - last) < interval
  }

  fileprivate mutating func note(stored time: Int64) { stored = max(stored, time) }
}
