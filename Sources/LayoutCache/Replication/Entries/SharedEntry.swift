/// A row of a log shared by several nodes. Its entries determine, in one sequence, everything
/// that a dataset's layouts return.
///
/// The sequence counts all entries; the revision counts only the changes that users see. Pinning
/// a layout advances the sequence but not the revision, so that a first query does not invalidate
/// an expected revision.
package struct SharedEntry: Hashable, Sendable {
  /// The kind of entry.
  package enum Kind: Int16, Hashable, Sendable, CaseIterable {
    /// A batch of resolved operations, as in the log of a file; without operations if only its
    /// request is recorded.
    case batch = 0
    /// A layout was attached, changed, renamed or removed.
    case layout = 1
    /// A layout's result begins here: it is laid out from the dataset at this position.
    case pin = 2
    /// The dataset's items are those of an archive.
    case archive = 3
    /// The version of the layout rules that applies from here on.
    case rules = 4
  }

  /// The entry's number; the first after the creation of the dataset is 1.
  package var sequence: Int
  /// The dataset's revision after the entry.
  package var revision: Int
  package var kind: Kind
  /// The unique 16-byte ID of the proposal, which is the same when it is sent again.
  package var proposal: [UInt8]
  /// The request that the entry applies, as ``IdempotentRequest`` encodes it; `nil` for none.
  package var request: [UInt8]?
  package var payload: [UInt8]
  /// The time of the proposal, in milliseconds since 1970, by the proposer's clock.
  package var time: Int64
  /// A hash over all entries up to this one; see ``SharedPosition/chain``.
  package var chain: [UInt8]

  package init(
    sequence: Int, revision: Int, kind: Kind, proposal: [UInt8], request: [UInt8]?,
    payload: [UInt8], time: Int64, chain: [UInt8]
  ) {
    self.sequence = sequence
    self.revision = revision
    self.kind = kind
    self.proposal = proposal
    self.request = request
    self.payload = payload
    self.time = time
    self.chain = chain
  }
}

/// A position in a dataset's shared log. Two nodes at the same position return the same answers.
package struct SharedPosition: Hashable, Sendable {
  /// The dataset's number in the shared log; a dataset that is created again under the same name
  /// has another.
  package var dataset: Int64
  package var sequence: Int
  /// A hash over the dataset's creation and all entries up to this position: diverged histories
  /// have different hashes.
  package var chain: [UInt8]

  package init(dataset: Int64, sequence: Int, chain: [UInt8]) {
    self.dataset = dataset
    self.sequence = sequence
    self.chain = chain
  }
}

extension [UInt8] {
  /// Returns 16 random bytes.
  package static func randomName() -> [UInt8] {
    // Each number takes a system call.
    Swift.withUnsafeBytes(of: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) {
      [UInt8]($0)
    }
  }

  /// Returns 16 bytes: 6 of the time in milliseconds since 1970, so that names created in
  /// sequence are adjacent in an index, and 10 random ones.
  package static func risingName() -> [UInt8] {
    let time = UInt64(clamping: WallClock.system.now())
    var name = Swift.withUnsafeBytes(of: (time << 16).bigEndian) { [UInt8]($0.prefix(6)) }
    name += randomName().prefix(10)
    return name
  }
}
