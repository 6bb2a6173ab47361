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
    /// An append whose answer is lost counts as done.
    case takesUnknownForDone
    /// An entry names an archive before all its chunks exist.
    case namesHalfAnArchive
    /// An archive is appended after entries that it does not contain.
    case namesAnArchiveOfEarlierItems
  }

  package let base: any SharedLog
  private let broken: Rule
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
    do {
      let answer = try base.append([append])[0].get()
      if let archive = append.entries[0].archive {
        if answer == .appended { try putLateChunk(of: archive) }
        if answer == .behind { try appendAfterOthers(append.entries[0], of: append.position) }
      }
      return answer
    } catch SharedLogFailure.unknown(let reason) {
      switch broken {
      case .takesUnknownForRefused: throw SharedLogFailure.unavailable(reason)
      case .takesUnknownForDone: return .appended
      default: throw SharedLogFailure.unknown(reason)
      }
    }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry?
  ) throws -> SharedHead {
    let head = try base.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
    if let archive = entry?.archive { try putLateChunk(of: archive) }
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

  private func appendAfterOthers(
    _ entry: SharedEntry, of position: SharedPosition
  ) throws {
    guard broken == .namesAnArchiveOfEarlierItems,
      let head = try base.look(at: [position.dataset]).heads.first
    else { return }
    var entry = entry
    (entry.sequence, entry.revision) = (head.position.sequence + 1, head.revision + 1)
    entry = entry.sealed(after: head.position.chain)
    // The node finds the entry when it follows the log.
    _ = try base.append([entry], after: head.position, epoch: head.epoch)
  }
}
