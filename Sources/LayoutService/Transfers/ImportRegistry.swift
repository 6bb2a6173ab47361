import Synchronization
import TextFormats

/// The imports of this process by their ids: those under way, and the last that have ended.
///
/// A client whose connection ends before the answer comes asks here what became of its
/// import; so it does not import twice.
final class ImportRegistry: Sendable {
  enum State: Sendable {
    case receiving
    /// All bytes are here.
    case building
    case done(ItemImport.Outcome)
    case failed(Problem)
  }

  struct Progress: Sendable {
    let dataset: String
    var state = State.receiving
    var bytes = 0

    var hasEnded: Bool {
      switch state {
      case .receiving, .building: false
      case .done, .failed: true
      }
    }
  }

  private struct ID: Hashable {
    var dataset: String
    var id: String
  }

  private struct Entries {
    var progress: [ID: Progress] = [:]
    /// Those that have ended, the oldest first.
    var ended: [ID] = []
    var underWay = 0
  }

  private static let endedKept = 1_000

  private let underWayMax: Int
  private let entries = Mutex(Entries())

  init(underWayMax: Int) { self.underWayMax = underWayMax }

  /// Notes that an import begins.
  ///
  /// - Throws: ``Problem``: 409 where one of the id is known, 503 where too many are under
  ///   way.
  func begin(_ id: String, dataset: String) throws {
    let key = ID(dataset: dataset, id: id)
    try entries.withLock { entries in
      if entries.progress[key] != nil {
        throw Problem(.conflict, "there is an import of this id; ask what became of it")
      }
      if entries.underWay >= underWayMax {
        throw Problem(.busy, "\(entries.underWay) imports are under way")
      }
      entries.underWay += 1
      entries.progress[key] = Progress(dataset: dataset)
    }
  }

  /// Notes what has become of an import.
  func note(_ id: String, dataset: String, _ change: (inout Progress) -> Void) {
    let key = ID(dataset: dataset, id: id)
    entries.withLock { entries in
      guard var progress = entries.progress[key] else { return }
      change(&progress)
      entries.progress[key] = progress
      guard progress.hasEnded else { return }
      entries.underWay -= 1
      entries.ended.append(key)
      if entries.ended.count > Self.endedKept {
        entries.progress[entries.ended.removeFirst()] = nil
      }
    }
  }

  /// What is known of an import.
  func progress(of id: String, dataset: String) -> Progress? {
    entries.withLock { $0.progress[ID(dataset: dataset, id: id)] }
  }
}
