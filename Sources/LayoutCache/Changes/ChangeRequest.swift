package import LayoutGeometry

/// A change of a dataset that a caller requests. ``ChangeResolver`` turns it into what is applied.
package struct ChangeRequest: Sendable {
  package enum Work: Sendable {
    case batch([BatchOperation])
    /// Reverts the newest commit.
    case undo
    /// A large instalment of the rebalances of some layouts; `nil` for all of them.
    case continueRebalance(layouts: [String]?)
    /// Attaches or changes a layout.
    ///
    /// - Parameters:
    ///   - configuration: Its text. Decoded it would make every change ten times as large.
    ///   - newID: The id of a new one, which no layout of the shared log has; `nil` for the file's
    ///     next.
    case setLayout(String, configuration: String, newID: Int64?)
    case removeLayout(String)
    case renameLayout(String, to: String)
    /// Records that a layout is laid out by its present configuration from here on.
    case pin(String)
    /// Inserts or updates the items of an import, as a batch.
    case append(ImportedBatch)
    /// Replaces the dataset's items by those of an archive, which was created from them as they
    /// were at a position; `nil` if that does not matter.
    case archive(SharedArchive, after: SharedPosition?)
  }

  package var work: Work
  package var viewport: CommitViewport
  /// The revision that it was made for; `nil` for any.
  package var expected: Int?
  /// The key that tells whether it has been sent before.
  package var request: IdempotentRequest?
  /// 16 bytes that name it in a shared log, which accepts it once.
  package var proposal: [UInt8] = []
  /// The batch as resolved on a snapshot, if resolving it takes a pass over the dataset.
  var resolution: BatchResolution?

  package init(
    _ work: Work, _ viewport: CommitViewport = CommitViewport(), expected: Int? = nil,
    request: IdempotentRequest? = nil
  ) {
    self.work = work
    self.viewport = viewport
    self.expected = expected
    self.request = request
  }

  /// Whether the result depends only on the dataset's items and sections, and the rows of the
  /// layouts that it names.
  var isBatch: Bool { if case .batch = work { true } else { false } }

  /// The operations of a batch; empty for other changes.
  var operations: [BatchOperation] {
    if case .batch(let operations) = work { operations } else { [] }
  }
}

/// The part of a commit's result that a caller wants to see.
package struct CommitViewport: Hashable, Sendable {
  /// The visible rectangle of a client.
  package var visible: Rect?
  /// The layouts that the commit brings up to date.
  package var layouts: UpdatedLayouts

  package init(visible: Rect? = nil, layouts: UpdatedLayouts = .inUse) {
    self.visible = visible
    self.layouts = layouts
  }
}

extension UpdatedLayouts {
  /// The layouts that are named.
  var names: [String] {
    if case .named(let names) = self { names } else { [] }
  }
}

extension ChangeRequest {
  /// Removes the layouts from a commit that it is not to list: a batch that only measures one
  /// layout, or invalidates parts of it, lists that one and those the caller named.
  func list(in commit: inout Commit) {
    guard let onlyLayout = operations.first?.onlyLayout,
      operations.allSatisfy({ $0.onlyLayout == onlyLayout })
    else { return }
    let listed = Set((viewport.layouts.names + [onlyLayout]).map(ExactKey.init))
    commit.layouts.removeAll { !listed.contains(ExactKey($0.layout)) }
    commit.behind.removeAll { !listed.contains(ExactKey($0.layout)) }
  }
}
