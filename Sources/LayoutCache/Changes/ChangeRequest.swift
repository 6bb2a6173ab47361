package import CollectionLayout
package import LayoutGeometry
import LayoutStore

/// A change of a dataset that a caller requests. ``ChangeResolver`` resolves it to the change
/// that is applied.
package struct ChangeRequest: Sendable {
  package enum Work: Sendable {
    case batch([BatchOperation])
    /// The reversal of the commits after a revision; `nil` for that of the newest one.
    case undo(to: Int? = nil)
    /// The continuation of the rebalances of some layouts by a large instalment for each; `nil` for
    /// all layouts. With a section, only the rebalance operations on it are continued.
    case continueRebalance(layouts: [String]?, section: String? = nil)
    /// The attachment or change of a layout.
    ///
    /// - Parameter configuration: The configuration's text. Decoded, it would make every change
    ///   ten times as large.
    case setLayout(String, configuration: String, requiring: LayoutRequirement? = nil)
    /// The creation of a variant of a responsive layout, with its canonical name.
    case addVariant(String)
    /// The change of a layout that its template demands: to a definition, or `nil` for its removal.
    ///
    /// - Parameter replacing: The number of the definition that the layout has; `nil` for a missing
    ///   layout. The change has no effect on another one, or on the dataset's own layout.
    case followTemplate(
      String, to: (configuration: String, number: Int, who: String)?, replacing: Int?)
    case removeLayout(String, requiring: LayoutRequirement? = nil)
    case renameLayout(String, to: String)
    /// The encoded definition of a named view; `nil` for its removal.
    case setView(String, [UInt8]?)
    /// The record that a layout uses its present configuration from this position on; from scratch
    /// if its present pin has the given incarnation.
    case pin(String, replacing: Int64? = nil)
    /// The insertion, update or match of the items of an import, as a batch.
    case append(ImportedBatch)
    /// The replacement of the dataset's items with those of an archive. `after` is the position
    /// that the archive was created from; `nil` if the position does not matter.
    case archive(SharedArchive, after: SharedPosition?)
  }

  package var work: Work
  package var viewport: CommitViewport
  /// The expected revision of the dataset; `nil` for any.
  package var expected: Int?
  /// The identity of the request, to detect repeats; `nil` for none.
  package var request: IdempotentRequest?
  /// The caller, for the log.
  package var who = LayoutCache.caller
  /// The batch resolved on a state of the dataset, if it cannot be resolved in its transaction.
  package var resolution: BatchResolution?
  /// The configuration on which the requirement of the change was checked, empty for a missing
  /// layout: the change is valid only while it is unchanged. `nil` if the requirement is checked in
  /// the change's transaction.
  package var checked: [UInt8]?
  /// The values that the requesting node of a cluster has chosen for all nodes; `nil` on a single
  /// machine.
  package var chosen: ChosenValues?
  /// Whether the change may take that pass in its transaction, for which other writers wait: the
  /// last of several attempts while they keep changing the dataset.
  package var mayPassInTransaction = false

  package init(
    _ work: Work, _ viewport: CommitViewport = CommitViewport(), expected: Int? = nil,
    request: IdempotentRequest? = nil
  ) {
    (self.work, self.viewport, self.expected, self.request) = (work, viewport, expected, request)
  }

  /// Whether resolving the change requires a pass over the dataset.
  var takesPass: Bool {
    if case .append(let items) = work { items.isMatch } else { operations.takePass }
  }

  /// Whether the result depends on what a node has in memory, a file with items, or a function. In a
  /// cluster, the requesting node replaces that first: ``LayoutCache/localized(_:on:)``.
  package var dependsOnNode: Bool {
    if resolution != nil { return false }
    switch work {
    case .undo, .continueRebalance, .append: return true
    case .batch: return takesPass && !mayPassInTransaction
    case .setLayout(_, _, let requirement), .removeLayout(_, let requirement):
      return requirement != nil
    case .addVariant, .followTemplate, .renameLayout, .setView, .pin, .archive: return false
    }
  }

  /// The operations of a batch; empty for other changes.
  var operations: [BatchOperation] {
    if case .batch(let operations) = work { operations } else { [] }
  }
}

/// Checks a layout's present configuration, `nil` for a missing layout, before it is set or removed;
/// throws to leave it unchanged.
package typealias LayoutRequirement = @Sendable (LayoutConfiguration?) throws -> Void

/// The values in a change that do not follow from its dataset, and must be the same on all nodes.
package struct ChosenValues: Hashable, Sendable {
  /// The maximum number of layouts of a dataset.
  package var layoutsMax: Int
  /// The ID of a new layout.
  package var layout: Int64
  /// The incarnation of a new result.
  package var incarnation: Int64

  package init(layoutsMax: Int, layout: Int64, incarnation: Int64) {
    (self.layoutsMax, self.layout, self.incarnation) = (layoutsMax, layout, incarnation)
  }
}

/// A batch resolved on a snapshot of its dataset. Work that needs a pass over all items, such as
/// a difference to a list, is thus done without the write lock.
package struct BatchResolution: Sendable {
  /// The dataset's ID in the file; `nil` if the log of the change determines the dataset.
  package var dataset: Int64?
  /// The position of a dataset that follows a shared log.
  package var position: SharedPosition?
  /// The revision at which the batch was resolved and for which it is valid.
  package var revision: Int
  /// The resolved batch; `nil` if it creates no revision.
  package var batch: LoggedBatch?
  /// The commits that the batch reverts; `nil` for others, and those of other nodes.
  var undone: Commit.Undone?

  package init(revision: Int, batch: LoggedBatch?) {
    (self.revision, self.batch) = (revision, batch)
  }

  /// Creates the resolution on a state of a dataset, without a batch yet.
  init(on state: DatasetState, _ reader: StoreReader) throws {
    (dataset, revision) = (state.row.id, state.revision)
    position = try reader.replica(of: state.row.id).map { SharedPosition($0) }
  }
}

/// The part of a commit's result that a caller wants to see.
package struct CommitViewport: Hashable, Sendable {
  /// The visible rectangle of a client.
  package var visible: Rect?
  /// The direction of that rectangle and of adjustments; `nil` for that of each layout.
  package var direction: LayoutConfiguration.LayoutDirection?
  /// The part of the content that keeps its place in the visible rectangle.
  package var anchor: OffsetAnchor
  /// The layouts that the commit brings up to date.
  package var layouts: UpdatedLayouts

  package init(
    visible: Rect? = nil, anchor: OffsetAnchor = .cell,
    direction: LayoutConfiguration.LayoutDirection? = nil, layouts: UpdatedLayouts = .inUse
  ) {
    (self.visible, self.direction) = (visible, direction)
    (self.anchor, self.layouts) = (anchor, layouts)
  }
}

extension UpdatedLayouts {
  /// The names of the listed layouts; empty for other cases.
  var names: [String] { if case .named(let names) = self { names } else { [] } }
}

extension ChangeRequest {
  /// Removes the layouts that the commit should not list. A batch that only measures or
  /// invalidates one layout lists that layout and those named by the caller.
  func list(in commit: inout Commit) {
    guard let onlyLayout = operations.first?.onlyLayout,
      operations.allSatisfy({ $0.onlyLayout.isExactly(onlyLayout) })
    else { return }
    // The name of a responsive layout means all its variants.
    let listed = Set((viewport.layouts.names + [onlyLayout]).map(ExactKey.init))
    commit.layouts.removeAll { !listed.hasLayout($0.layout) }
    commit.behind.removeAll { !listed.hasLayout($0.layout) }
  }
}

extension ChangeRequest {
  /// Returns the change's resolution if it is valid for the present dataset; `nil` if the change
  /// must be resolved in its transaction.
  ///
  /// - Throws: ``LayoutCacheError`` with `concurrentModification` if the change must be resolved
  ///   on a snapshot, for the first time or again.
  func resolution(on dataset: DatasetRow, at revision: Int) throws -> BatchResolution? {
    if let resolution, resolution.dataset ?? dataset.id == dataset.id,
      resolution.revision == revision
    {
      return resolution
    }
    if resolution == nil && !takesPass || mayPassInTransaction { return nil }
    throw LayoutCacheError(.concurrentModification(dataset: dataset.name))
  }
}
