import LayoutGeometry
import Synchronization

/// The plans of the last few configurations by their text, so that a configuration with many
/// overrides is decoded once and not for each change that reads it.
final class KnownPlans: Sendable {
  private static let countMax = 4

  private struct Entry {
    let text: String
    let plan: LayoutPlan
  }

  /// The most recently used last.
  private let entries = Mutex<[Entry]>([])

  func plan(of text: String) -> LayoutPlan? {
    entries.withLock { entries in
      guard
        let index = entries.lastIndex(where: {
          $0.text.utf8.count == text.utf8.count && $0.text.isExactly(text)
        })
      else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.plan
    }
  }

  func insert(_ plan: LayoutPlan, of text: String) {
    entries.withLock { entries in
      if entries.count == Self.countMax { entries.removeFirst() }
      entries.append(Entry(text: text, plan: plan))
    }
  }
}
