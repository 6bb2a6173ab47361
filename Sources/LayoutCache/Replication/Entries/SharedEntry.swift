/// A row of a log that several nodes share: all that decides on what a dataset's layouts
/// answer, in one sequence.
///
/// The sequence counts entries, the revision those that users see: a pinned layout has a
/// number in the sequence and raises no revision, so that a first query fails nobody's
/// expectation.
package struct SharedEntry: Hashable, Sendable {
  /// The kind of entry.
  package enum Kind: Int16, Hashable, Sendable, CaseIterable {
    /// A batch of resolved operations, as the log of one file keeps it; without any where
    /// only its request is to be known again.
    case batch = 0
    /// A layout was attached, changed, renamed or removed.
    case layout = 1
    /// A layout's result begins here: it is laid out from the dataset as it is at this place.
    case pin = 2
    /// The dataset's items are those of an archive.
    case archive = 3
    /// The version of the layout rules that holds from here on.
    case rules = 4
  }

  /// Its number; the first after the dataset's making is 1.
  package var sequence: Int
  /// The dataset's revision after it.
  package var revision: Int
  package var kind: Kind
  /// 16 bytes that name the proposal, and no other: sent again it is the same.
  package var proposal: [UInt8]
  /// The request that it carries out, as ``IdempotentRequest`` encodes it; `nil` for none.
  package var request: [UInt8]?
  package var payload: [UInt8]
  /// When it was proposed, in milliseconds since 1970, by the proposer's clock.
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

/// A place in a dataset's shared log. Two nodes at the same one answer alike.
package struct SharedPosition: Hashable, Sendable {
  /// The dataset's number in the shared log; a name that is made again has another.
  package var dataset: Int64
  package var sequence: Int
  /// A hash over the dataset's making and all entries so far: two histories that have parted
  /// do not have the same.
  package var chain: [UInt8]

  package init(dataset: Int64, sequence: Int, chain: [UInt8]) {
    self.dataset = dataset
    self.sequence = sequence
    self.chain = chain
  }
}

extension [UInt8] {
  /// 16 random bytes.
  package static func randomName() -> [UInt8] {
    // Each number is a call of the system's.
    Swift.withUnsafeBytes(of: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) {
      [UInt8]($0)
    }
  }

  /// 16 bytes: 6 of the time in milliseconds since 1970, so that names that are created in sequence
  /// are adjacent in an index, and 10 random ones.
  package static func risingName() -> [UInt8] {
    let time = UInt64(clamping: WallClock.system.now())
    var name = Swift.withUnsafeBytes(of: (time << 16).bigEndian) { [UInt8]($0.prefix(6)) }
    name += randomName().prefix(10)
    return name
  }
}
