import LayoutGeometry
import Synchronization
import TextFormats

/// The imports of this process by ID: those in progress, and the most recent that have ended.
///
/// A client whose connection ends before the answer arrives looks up the outcome of its import
/// here, and so does not import twice.
final class ImportRegistry: Sendable {
  enum State: Sendable {
    case receiving
    /// All bytes have arrived.
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
    let dataset: ExactKey
    let id: ExactKey

    init(_ id: String, dataset: String) {
      (self.id, self.dataset) = (ExactKey(id), ExactKey(dataset))
    }
  }

  private struct Entries {
    var progress: [ID: Progress] = [:]
    /// The imports that have ended, the oldest first.
    var ended: [ID] = []
    var doneCount = 0
  }

  private static let endedKept = 1_000

  private let entries = Mutex(Entries())

  /// The number of imports that were committed since the process started.
  var doneCount: Int { entries.withLock { $0.doneCount } }

  /// Records the start of an import.
  ///
  /// - Throws: ``Problem`` with 409 if the ID is in use.
  func begin(_ id: String, dataset: String) throws {
    let key = ID(id, dataset: dataset)
    try entries.withLock { entries in
      if entries.progress[key] != nil {
        throw Problem(.conflict, "an import with this id already exists; GET it for its state")
      }
      entries.progress[key] = Progress(dataset: dataset)
    }
  }

  /// Records the progress of an import.
  func note(_ id: String, dataset: String, _ change: (inout Progress) -> Void) {
    let key = ID(id, dataset: dataset)
    entries.withLock { entries in
      guard var progress = entries.progress[key] else { return }
      change(&progress)
      entries.progress[key] = progress
      guard progress.hasEnded else { return }
      if case .done = progress.state { entries.doneCount += 1 }
      entries.ended.append(key)
      if entries.ended.count > Self.endedKept {
        entries.progress[entries.ended.removeFirst()] = nil
      }
    }
  }

  /// Returns the progress of an import, if known.
  func progress(of id: String, dataset: String) -> Progress? {
    entries.withLock { $0.progress[ID(id, dataset: dataset)] }
  }
}
