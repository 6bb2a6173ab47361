import LayoutGeometry
import Synchronization

/// The layouts that this process is laying out from scratch: those who ask for one
/// meanwhile are answered from its last result, and do not wait.
final class LayoutsUnderWay: Sendable {
  private struct Name: Hashable {
    var layout: ExactKey
    var dataset: ExactKey
  }

  private let names = Mutex<Set<Name>>([])

  func contains(_ layout: String, of dataset: String) -> Bool {
    names.withLock { $0.contains(Name(layout: ExactKey(layout), dataset: ExactKey(dataset))) }
  }

  /// One writer runs at a time, so a layout is under way once at most.
  func insert(_ layout: String, of dataset: String) {
    _ = names.withLock {
      $0.insert(Name(layout: ExactKey(layout), dataset: ExactKey(dataset)))
    }
  }

  func remove(_ layout: String, of dataset: String) {
    _ = names.withLock {
      $0.remove(Name(layout: ExactKey(layout), dataset: ExactKey(dataset)))
    }
  }
}
