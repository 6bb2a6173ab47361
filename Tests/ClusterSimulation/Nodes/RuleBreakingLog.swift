import ClusterTestSupport
import LayoutCache
package import LayoutCluster
package import LayoutReplication
import Synchronization

/// A node's view of a log that answers one kind of call wrongly, as if the node broke a rule.
package final class RuleBreakingLog: ForwardingLog {
  package enum Rule: CaseIterable, Sendable {
    /// Reads are trusted without a barrier after them.
    case believesReads
    /// An append whose answer is lost counts as rejected.
    case takesUnknownForRefused
    /// An append whose answer is lost is made again under another name.
    case givesUnknownAnotherName
    /// An entry names an archive before all its chunks exist.
    case namesHalfAnArchive
    /// An archive takes effect after entries that it does not contain.
    case namesAnArchiveOfEarlierItems
  }

  package let base: any SharedLog
  private let broken: Rule
  /// The names of appends with an unknown outcome.
  private let unknown = Mutex<Set<[UInt8]>>([])
  /// The last chunk of each archive, which is uploaded late.
  private let late = Mutex<[Int64: (number: Int, bytes: [UInt8])]>([:])

  package init(_ base: any SharedLog, breaking rule: Rule) {
    self.base = base
    broken = rule
  }

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    appends.map { append in Result { try self.append(append) } }
  }

  private func append(_ append: SharedAppend) throws -> SharedAppending {
    var append = append
    let archive = append.requests[0].archive?.archive.number
    if broken == .namesAnArchiveOfEarlierItems { append.position = nil }
    let isUnknown = unknown.withLock { $0.contains(append.requests[0].name) }
    if broken == .givesUnknownAnotherName, isUnknown {
      // The node still finds its requests, by their names.
      let first = SharedRequest(
        .change, named: .randomName(), payload: ChangeRequest(.batch([])).encoded, time: 0)
      append.requests.insert(first, at: 0)
    }
    do {
      let answer = try base.append([append])[0].get()
      if let archive, answer != .refused { try putLateChunk(of: archive) }
      return answer
    } catch SharedLogFailure.unknown(let reason) {
      if broken == .takesUnknownForRefused { throw SharedLogFailure.unavailable(reason) }
      _ = unknown.withLock { $0.insert(append.requests[0].name) }
      throw SharedLogFailure.unknown(reason)
    }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    let head = try base.createDataset(named: name, chain: chain, time: time, beginningWith: request)
    if let archive = request?.archive?.archive.number { try putLateChunk(of: archive) }
    return head
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    guard broken == .namesHalfAnArchive else {
      return try base.putChunk(bytes, number: number, of: archive)
    }
    try putLateChunk(of: archive)
    late.withLock { $0[archive] = (number, bytes) }
  }

  private func putLateChunk(of archive: Int64) throws {
    guard let chunk = late.withLock({ $0.removeValue(forKey: archive) }) else { return }
    try base.putChunk(chunk.bytes, number: chunk.number, of: archive)
  }
}
