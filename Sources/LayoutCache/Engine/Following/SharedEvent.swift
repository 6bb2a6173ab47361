import Synchronization

/// An encoder of commits as text, for listeners that forward them.
package protocol CommitWriting: SendableMetatype {
  /// Returns the text of a commit; `nil` to send a reset instead.
  static func text(of commit: Commit) -> [UInt8]?
}

/// An event shared by all listeners with the same layouts and form: it is stored once.
///
/// If the events of a cache exceed their memory budget, the oldest events lose their content
/// (``EventMemory``), and only a reset to their revision is left.
package final class SharedEvent: Sendable {
  package enum Content: Sendable {
    case event(CommitEvent)
    case text([UInt8])
  }

  /// The size of the content, in bytes.
  let bytes: Int
  private let reset: CommitEvent
  private let full: Mutex<Content?>
  private let memory: EventMemory?
  private let number: Int

  /// Creates a small event, which does not count towards the memory.
  init(_ event: CommitEvent) {
    (bytes, reset, memory, number) = (0, event, nil, 0)
    full = Mutex(nil)
  }

  fileprivate init(
    _ content: Content, bytes: Int, orReset reset: CommitEvent, in memory: EventMemory,
    _ number: Int
  ) {
    (self.bytes, self.reset, self.memory, self.number) = (bytes, reset, memory, number)
    full = Mutex(content)
  }

  deinit { memory?.release(number) }

  /// The event or its text, or the reset that replaces it.
  package var content: Content { full.withLock { $0 } ?? .event(reset) }

  /// Whether the event is a reset or was reduced to one.
  var isReset: Bool { if case .event(.reset) = content { true } else { false } }

  fileprivate func drop() { full.withLock { $0 = nil } }
}

/// A bound on the memory of all queued events of a cache's listeners. Above it, the oldest events
/// lose their content.
///
/// So the slowest listeners are reset, and the bound holds for any number of listeners, layouts
/// and datasets.
final class EventMemory: Sendable {
  private struct Entry {
    weak var event: SharedEvent?
    var bytes: Int
  }

  private struct State {
    var bytes = 0
    /// The events with content, by number.
    var entries: [Int: Entry] = [:]
    /// A number below which no event has content.
    var oldest = 0
    var next = 0
  }

  private let bytesMax: Int
  private let state = Mutex(State())

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The size of all present events, in bytes.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Shares a commit among listeners.
  ///
  /// - Parameter writer: The encoder; `nil` for listeners that receive the value.
  func share(_ commit: Commit, writtenBy writer: (any CommitWriting.Type)?) -> SharedEvent {
    let reset = CommitEvent.reset(revision: commit.revision, incarnation: commit.incarnation)
    guard let writer else {
      return share(.event(.commit(commit)), bytes: commit.memoryBytes, orReset: reset)
    }
    guard let text = writer.text(of: commit) else { return SharedEvent(reset) }
    return share(.text(text), bytes: text.count, orReset: reset)
  }

  func share(_ content: SharedEvent.Content, bytes: Int, orReset reset: CommitEvent) -> SharedEvent
  {
    // Deallocating an event takes the lock, so references are released outside it.
    let (event, dropped) = state.withLock { state in
      let event = SharedEvent(content, bytes: bytes, orReset: reset, in: self, state.next)
      state.entries[state.next] = Entry(event: event, bytes: bytes)
      state.bytes += bytes
      state.next += 1
      var dropped: [SharedEvent] = []
      while state.bytes > bytesMax, state.oldest < state.next {
        if let entry = state.entries.removeValue(forKey: state.oldest) {
          state.bytes -= entry.bytes
          if let event = entry.event { dropped.append(event) }
        }
        state.oldest += 1
      }
      return (event, dropped)
    }
    for event in dropped { event.drop() }
    return event
  }

  fileprivate func release(_ number: Int) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: number) { state.bytes -= entry.bytes }
    }
  }
}

extension Commit {
  /// The approximate size in memory, in bytes. O(named elements).
  var memoryBytes: Int {
    /// Short strings have no separate storage.
    func storage(_ key: String) -> Int { key.utf8.count > 15 ? key.utf8.count + 32 : 0 }
    var bytes = MemoryLayout<Commit>.size
    bytes += updates.sections.count * MemoryLayout<DatasetUpdates.Section>.stride
    for section in updates.sections { bytes += storage(section.key) }
    bytes += updates.items.count * MemoryLayout<DatasetUpdates.Item>.stride
    for item in updates.items { bytes += storage(item.key) }
    for layout in layouts {
      for section in layout.context.sections {
        bytes += 256 + 16 * (section.items.ranges.count + section.columns.ranges.count)
      }
      bytes += layout.context.sectionChanges.count * 32
    }
    return bytes
  }
}
