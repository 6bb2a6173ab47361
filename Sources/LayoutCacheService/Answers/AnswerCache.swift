import LayoutCache
import LayoutGeometry
import NIOCore
import Synchronization

/// The encoded answers to queries of elements that clients request repeatedly, such as the start
/// of a feed.
///
/// An answer is found by its request, and is used only if the layout is still at the state that
/// it was created from. So no commit has to remove answers, and a request has at most one answer
/// here. Access, the pin and `If-None-Match` do not depend on an answer: they are checked for
/// each request.
///
/// *Memory.* Answers are in two generations. When the young one has half of the budget, it
/// becomes the old one, whose answers are dropped unless they were used in the meantime. An answer
/// is stored from the second request on, since most positions are requested only once.
final class AnswerCache: Sendable {
  /// A request: everything that an answer depends on besides the layout's state.
  struct Key: Hashable, Sendable {
    // Exact keys: `String` equality would unify different names that look the same. The query is
    // compared first, because most keys differ in it.
    private let query: ExactKey
    private let dataset: ExactKey
    private let layout: ExactKey
    private let view: DatasetView?
    private let acceptsGzip: Bool
    /// Whether the answer may have hints, which are about all items.
    private let hasHints: Bool

    /// - Parameters:
    ///   - layout: The layout as named in the path.
    ///   - query: The query as sent. Different texts of the same query have separate answers.
    ///   - view: The view that is read, which a token or a name may state.
    init(
      _ layout: LayoutID, query: String, view: DatasetView? = nil, acceptsGzip: Bool, hasHints: Bool
    ) {
      dataset = ExactKey(layout.dataset)
      self.layout = ExactKey(layout.layout)
      self.query = ExactKey(query)
      self.view = view
      (self.acceptsGzip, self.hasHints) = (acceptsGzip, hasHints)
    }

    fileprivate var byteCount: Int {
      dataset.string.utf8.count + layout.string.utf8.count + query.string.utf8.count
    }
  }

  /// An answer, with the state that it was created from.
  struct Answer: Sendable {
    let body: EncodedBody
    let validator: Validator
    private let incarnation: Incarnation
    /// The layout's name in the answer, which is not that of the path for some variants.
    private let layout: LayoutID

    init(_ body: EncodedBody, from snapshot: LayoutSnapshot, _ validator: Validator) {
      (self.body, self.validator) = (body, validator)
      incarnation = snapshot.incarnation
      layout = snapshot.layout
    }

    /// Whether the answer is from the state of a snapshot.
    func isCurrent(in snapshot: LayoutSnapshot) -> Bool {
      validator.revision == snapshot.revision && incarnation == snapshot.incarnation
        && layout == snapshot.layout
    }
  }

  private struct Entry {
    var answer: Answer
    /// The memory of the answer and its key, in bytes.
    var byteCount: Int
  }

  private struct Generation {
    var entries: [Key: Entry] = [:]
    var byteCount = 0

    mutating func remove(_ key: Key) -> Entry? {
      let entry = entries.removeValue(forKey: key)
      byteCount -= entry?.byteCount ?? 0
      return entry
    }
  }

  private struct State {
    var young = Generation()
    var old = Generation()
    /// Hashes of requests that were answered once, each at the index of its lowest bits.
    var requested = [Int](repeating: 0, count: AnswerCache.requestedCount)

    /// Adds an entry to the young generation, which has none for the key.
    ///
    /// - Returns: The dropped generation, to be released after the lock.
    mutating func add(_ entry: Entry, _ key: Key, bytesMax: Int) -> Generation? {
      var dropped: Generation?
      if young.byteCount + entry.byteCount > bytesMax / 2 {
        dropped = old
        old = young
        young = Generation()
      }
      young.entries[key] = entry
      young.byteCount += entry.byteCount
      return dropped
    }

    /// Records a request, and returns whether it was recorded before.
    mutating func isRepeated(_ hash: Int) -> Bool {
      let index = hash & (requested.count - 1)
      defer { requested[index] = hash }
      return requested[index] == hash
    }
  }

  private let bytesMax: Int
  private let state = Mutex(State())

  /// - Parameter bytesMax: The memory limit in bytes; 0 to store nothing.
  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Returns the last stored answer to a request, which may be from an earlier state.
  func answer(to key: Key) -> Answer? {
    let (answer, dropped) = state.withLock { state -> (Answer?, Generation?) in
      if let entry = state.young.entries[key] { return (entry.answer, nil) }
      guard let entry = state.old.remove(key) else { return (nil, nil) }
      return (entry.answer, state.add(entry, key, bytesMax: bytesMax))
    }
    withExtendedLifetime(dropped) {}
    return answer
  }

  /// Stores an answer, in place of the previous one to the request.
  func store(_ answer: Answer, to key: Key) {
    let byteCount = answer.body.capacity + key.byteCount + Self.entryBytes
    guard answer.body.capacity <= Self.answerBytesMax, byteCount <= bytesMax / 2 else { return }
    let entry = Entry(answer: answer, byteCount: byteCount)
    let hash = key.hashValue
    let dropped = state.withLock { state -> (Entry?, Generation?) in
      let previous = state.young.remove(key) ?? state.old.remove(key)
      guard previous != nil || state.isRepeated(hash) else { return (nil, nil) }
      return (previous, state.add(entry, key, bytesMax: bytesMax))
    }
    withExtendedLifetime(dropped) {}
  }

  /// The approximate memory of an entry besides its texts and its body, in bytes.
  private static let entryBytes = 512
  /// The maximum size of a stored body, in bytes: a longer one would replace too many others.
  private static let answerBytesMax = 256 << 10
  /// A power of two.
  private static let requestedCount = 4096
}
