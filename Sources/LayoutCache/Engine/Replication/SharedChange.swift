package import CollectionLayout

/// What somebody wants of a dataset whose log is shared: to be decided there.
package struct SharedChange: Sendable {
  package enum Work: Sendable {
    case batch([BatchOperation])
    /// What takes the newest commit back.
    case undo
    /// A large instalment of the rebalances of some layouts, or of all.
    case carryOn(layouts: [String]?)
    /// A layout is attached or changed; a new one gets the id, which no layout of the log has.
    case setLayout(String, LayoutConfiguration, freshID: Int64)
    case removeLayout(String)
    case renameLayout(String, to: String)
    /// A layout is laid out by its present configuration, from here on and for all.
    case pin(String)
    /// Items of an import are put in place, as a batch.
    case append(ImportedBatch)
    /// The dataset's items become those of an image, which was made of them as they were at a
    /// position; `nil` where that is no matter.
    case image(SharedImage, behind: SharedPosition?)
  }

  package var work: Work
  /// The revision that it is made for; `nil` for any.
  package var expected: Int?
  /// What tells that it has been sent before.
  package var request: IdempotentRequest?
  /// 16 bytes that name it: it gets into the log once.
  package var proposal: [UInt8]
  /// The batch as it was resolved on a snapshot, where it takes a pass over the dataset.
  var resolution: BatchResolution?

  package init(
    _ work: Work, expected: Int? = nil, request: IdempotentRequest? = nil,
    proposal: [UInt8] = .risingName()
  ) {
    self.work = work
    self.expected = expected
    self.request = request
    self.proposal = proposal
  }

  /// Whether what it comes to follows from the dataset's items and sections, and the rows of
  /// layouts that it names.
  var isBatch: Bool { if case .batch = work { true } else { false } }
}

extension [UInt8] {
  /// 16 random bytes.
  package static func randomName() -> [UInt8] {
    // Each number is a call of the system's.
    Swift.withUnsafeBytes(of: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) {
      [UInt8]($0)
    }
  }

  /// 16 bytes: 6 of the time in milliseconds since 1970, so that names that are made one after
  /// the other stand together in an index, and 10 random ones.
  package static func risingName() -> [UInt8] {
    let time = UInt64(clamping: WallClock.system.now())
    var name = Swift.withUnsafeBytes(of: (time << 16).bigEndian) { [UInt8]($0.prefix(6)) }
    name += randomName().prefix(10)
    return name
  }
}

/// What a change comes to on a dataset as a node has it.
package enum SharedResolution: Sendable {
  /// It is to be appended to the log.
  case isProposed(SharedEntry)
  /// It makes no entry, and this is what it comes to.
  case isSettled(SharedOutcome)
  case isRefused(any Error)
  /// It must wait until those before it are decided on.
  case mustWait
}

/// What became of a change.
package enum SharedOutcome: Sendable {
  /// It has been carried out, or comes to nothing.
  case isCommitted(Commit)
  /// Its request had been carried out before.
  case isReplayed(revision: Int, answer: [UInt8]?)

  /// The dataset's revision behind it.
  package var revision: Int {
    switch self {
    case .isCommitted(let commit): commit.revision
    case .isReplayed(let revision, _): revision
    }
  }
}
