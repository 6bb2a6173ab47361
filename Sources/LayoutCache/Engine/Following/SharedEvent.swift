import Synchronization

/// Writes commits as texts, for listeners that send them on.
package protocol CommitWriting: SendableMetatype {
  /// The text of a commit; `nil` for one that is not sent, of which a reset is told.
  static func text(of commit: Commit) -> [UInt8]?
}

/// An event as all share it who listen to the same layouts in the same form: it is there
/// once, however many they are.
///
/// Where the events of a cache take more than their share of memory it loses its content
/// (``EventMemory``). A reset to its revision is left.
package final class SharedEvent: Sendable {
  package enum Content: Sendable {
    case event(CommitEvent)
    case text([UInt8])
  }

  /// The size of its content, in bytes.
  let bytes: Int
  private let reset: CommitEvent
  private let full: Mutex<Content?>
  private let memory: EventMemory?
  private let number: Int

  /// An event that is small.
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

  /// The event or its text, or the reset that is left of it.
  package var content: Content { full.withLock { $0 } ?? .event(reset) }

  /// Whether it is a reset, or one is left of it.
  var isReset: Bool {
    if case .event(.reset) = content { true } else { false }
  }

  fileprivate func drop() { full.withLock { $0 = nil } }
}

/// Bounds the memory of the events that wait for the listeners of a cache, all together: with
/// more, the oldest of them lose their content.
///
/// So the slowest listeners are reset, and no number of listeners, layouts or datasets takes more.
final class EventMemory: Sendable {
  private struct Entry {
    weak var event: SharedEvent?
    var bytes: Int
  }

  private struct State {
    var bytes = 0
    /// Those that have content, by number.
    var entries: [Int: Entry] = [:]
    /// Those before it have none.
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
  /// - Parameter writer: Writes it; `nil` for listeners that take it as it is.
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
    // Events that go take the lock, so what refers to one leaves it first.
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
  /// About what it takes in memory, in bytes. O(what it names).
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
