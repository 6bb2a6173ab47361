public import CollectionLayout
public import LayoutGeometry

/// An error of a library call, with the values that make it actionable.
///
/// Caches, importers and snapshots throw only this type and the errors of the caller's
/// closures. Initializers with typed throws, such as `Item.init`, throw a `LimitError`; thrown
/// from a closure of a call it becomes ``Code/limit(_:)``.
public struct LayoutCacheError: Error, Sendable {
  /// The kind of failure.
  @nonexhaustive
  public enum Code: Sendable {
    case noSuchDataset(String)
    case noSuchLayout(LayoutID)
    case noSuchKey(String, dataset: String)
    /// The layout has had no other configuration.
    case noPreviousConfiguration(LayoutID)
    case noSuchTemplate(String)
    case noSuchView(String, dataset: String)
    /// Another template, which is named, has the same layout and datasets.
    case templateExists(String)
    /// The layout comes from a template, so it is not removed or renamed in one dataset. Set it there
    /// first.
    case ofTemplate(LayoutID, template: String)
    /// The dataset exists; an import into it needs a mode other than `create`.
    case datasetExists(String)
    /// A layout of the dataset with the name already exists.
    case layoutExists(LayoutID)
    /// The name does not name a layout, or variant of a layout, that can be used there.
    case variant(String, ConfigurationError)
    /// The layout was not brought up to date by a commit, which changes too much of it. It follows
    /// at its next use; its queries do not fail.
    case preparing(LayoutID)
    /// The variant was not laid out because others of the dataset were being laid out.
    case layoutsUnderWay(LayoutID)
    /// A value exceeds one of the `Limits`.
    case limit(LimitError)
    /// The number of datasets would exceed `Limits.datasetsMax`, or the number of layouts
    /// `Limits.layoutsMax`; nothing was changed.
    case countLimit(LimitError)
    /// The layout's result would exceed one of the `Limits`, or its custom kind cannot place an
    /// item.
    case cannotLayOut(LayoutID, LayoutRefusal)
    /// The layout configuration is invalid.
    case configuration(ConfigurationError)
    /// A key is repeated in an import, or already exists in the dataset.
    case duplicateKey(DuplicateKey)
    /// The batch exceeds `Limits.batchBytesMax`; nothing was changed. Import its items instead.
    case batchTooLong(LimitError)
    /// A preview or a view would need more memory than results that are not stored may take.
    case temporaryTooLarge(LimitError, advice: String)
    /// The text is not a filter, or the keys are no list; the description says where and why.
    case filter(String)
    /// An operation of the batch cannot be applied; nothing was changed. The first such operation is
    /// given by its number in the batch, from 1.
    case refused(operation: Int, BatchError)
    /// The batch expects a revision other than the current one; nothing was changed.
    case revisionMismatch(expected: Int, present: Int, dataset: String)
    /// The newest commit can't be undone; nothing was changed.
    case cannotUndo(revision: Int, BatchError, dataset: String)
    /// The idempotency key was used for a different batch; nothing was changed.
    case idempotencyKeyReused(String)
    /// A revision the dataset has not reached.
    case noSuchRevision(Int, present: Int, dataset: String)
    /// The continuation belongs to a layout other than the queried one.
    case continuationMismatch(LayoutID, asked: LayoutID)
    /// The continuation's position can no longer be determined: the dataset was removed and
    /// created again, or the log does not reach back far enough.
    case continuationExpired(dataset: String)
    /// The dataset, or template, kept changing during attempts to read or change it.
    case concurrentModification(dataset: String)
    /// The cluster's shared log is temporarily unavailable; nothing was changed.
    case sharedLogUnavailable(String)
    /// It is unknown whether the change was appended to the shared log. Send the same request
    /// again, with the same idempotency key.
    case outcomeUnknown(String)
    /// The file belongs to a cluster node. Only that node may change it.
    case belongsToNode(path: String)
    /// The file was deleted, moved or replaced while the cache had it open; see the reason.
    /// Changes to it would be lost. Opening the path again opens the current file.
    case fileReplaced(path: String, reason: String)
    /// The cache has been closed, or is being closed.
    case closed(path: String)
    /// The call would wait for the call that it is made from, as `close` would within a read, or a
    /// read of a layout within the progress of its `prepare`. Nothing was done.
    case inUse(path: String)
    /// The database file is missing, busy or damaged, or can't be read or written; see the
    /// message for the cause and the remedy.
    case database(Category, message: String)
  }

  /// The class of an error, for its mapping to an HTTP status or an exit code.
  @nonexhaustive
  public enum Category: Hashable, Sendable {
    /// The call conflicts with the state, for example creates an existing dataset.
    case usage
    /// The state changed since the revision the caller expected.
    case conflict
    /// The input is invalid.
    case input
    /// The requested object does not exist.
    case notFound
    /// The operating system failed.
    case inputOutput
    /// Another process is writing; a retry may succeed.
    case busy
    /// The file is damaged, of another program, or of a newer version.
    case corrupt
    /// An error in this library.
    case bug
  }

  /// A failure of the file that a service explains without the file's path.
  package enum Cause: Sendable {
    /// The file, or its folder, cannot be written.
    case readOnly
    case diskFull
    /// The layout must be prepared, and the file cannot be written.
    case unprepared(LayoutID)
  }

  public var code: Code
  /// Damage found by a query, so that the caller can rebuild the layout.
  var damage: Damage?
  /// The cause of an error with the code `database`, if a service reports it.
  package internal(set) var cause: Cause?
  /// Whether the failed change may have been stored, and be visible when the file is opened again.
  var mayBeStored = false
  /// Whether the call is known to have changed nothing.
  package private(set) var changedNothing = false

  public init(_ code: Code) { self.code = code }

  /// Whether the file, or its folder, cannot be written.
  var isReadOnly: Bool { if case .readOnly = cause { true } else { false } }

  /// The error of a query of a layout that must be prepared first, in a file that cannot be
  /// written. The category is `busy`: the query succeeds once another process has prepared the
  /// layout.
  static func unprepared(_ layout: LayoutID, inReadOnly path: String) -> LayoutCacheError {
    var error = LayoutCacheError(
      .database(
        .busy,
        message: """
          \(layout) is not prepared, and \(path) is read-only; run 'layoutcache prepare' on the \
          file where it can be written, or on a copy of it
          """))
    error.cause = .unprepared(layout)
    return error
  }

  /// The error, for a call with earlier commits.
  var afterCommit: LayoutCacheError {
    var error = self
    error.changedNothing = false
    return error
  }

  /// The error, for a call that has changed nothing. Unchanged if the code already states that,
  /// or if it is not certain.
  var changingNothing: LayoutCacheError {
    var error = self
    switch code {
    case .database(.inputOutput, _): error.changedNothing = !mayBeStored
    case .fileReplaced: error.changedNothing = true
    default: break
    }
    return error
  }

  public var category: Category {
    switch code {
    case .noSuchDataset, .noSuchLayout, .noSuchKey, .continuationExpired: .notFound
    case .noPreviousConfiguration, .noSuchTemplate, .noSuchView: .notFound
    case .datasetExists, .layoutExists, .templateExists, .ofTemplate, .idempotencyKeyReused,
      .continuationMismatch,
      .belongsToNode, .closed, .inUse:
      .usage
    case .variant, .limit, .countLimit, .cannotLayOut, .configuration, .duplicateKey, .batchTooLong,
      .temporaryTooLarge, .filter, .noSuchRevision, .cannotUndo:
      .input
    case .refused(_, let reason):
      switch reason {
      case .noSuchKey, .noSuchSection, .noSuchLayout: .notFound
      default: .input
      }
    case .revisionMismatch: .conflict
    case .concurrentModification, .preparing, .layoutsUnderWay,
      .sharedLogUnavailable,
      .outcomeUnknown:
      .busy
    case .fileReplaced: .inputOutput
    case .database(let category, _): category
    }
  }
}

extension LayoutCacheError {
  /// - Parameter itemCount: The number of items that a preview would place.
  init(previewOf itemCount: Int) {
    self.init(
      "the number of the preview's items", itemCount, max: Budgets.previewItems,
      advice: "store the layout, or apply the batch, and query it")
  }

  /// - Parameter itemCount: The number of items of a layout that is not stored.
  init(temporaryOf itemCount: Int) {
    self.init(
      "the number of items of a width that is not stored", itemCount, max: Budgets.temporaryItems,
      advice: "prepare the width, or raise the layout's \"keep\"")
  }

  /// - Parameter byteCount: The memory of a view's items in bytes, or a lower bound.
  init(viewOf byteCount: Int) {
    self.init(
      "the number of bytes of the view's items", byteCount, max: Budgets.temporaryBytes,
      advice: "choose fewer items, or import them into another dataset")
  }

  private init(_ quantity: LimitError.Subject, _ value: Int, max: Int, advice: String) {
    self.init(
      .temporaryTooLarge(
        LimitError(.tooLarge, quantity, limit: Double(max), value: Double(value)), advice: advice))
  }
}

extension LayoutCacheError.Code {
  /// The name of the case, for error descriptions in text form.
  package var name: String {
    // Every case has a value, whose label is the case's name.
    Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }
}

extension LayoutCacheError: CustomStringConvertible {
  public var description: String {
    switch code {
    case .noSuchDataset(let name): "there is no dataset '\(excerpt(name))'"
    case .noSuchLayout(let id):
      "dataset '\(excerpt(id.dataset))' has no layout '\(excerpt(id.layout))'"
    case .noSuchKey(let key, let dataset):
      "dataset '\(excerpt(dataset))' has no item '\(excerpt(key))'"
    case .noPreviousConfiguration(let id): "\(id) has no previous configuration"
    case .noSuchTemplate(let name): "there is no template '\(excerpt(name))'"
    case .noSuchView(let name, let dataset):
      "dataset '\(excerpt(dataset))' has no view '\(excerpt(name))'"
    case .templateExists(let name):
      "template '\(excerpt(name))' has the same layout and datasets"
    case .ofTemplate(let id, let template):
      """
      \(id) comes from template '\(excerpt(template))'; change or remove the template, or set the \
      layout in the dataset
      """
    case .datasetExists(let name): "dataset '\(excerpt(name))' already exists"
    case .layoutExists(let id): "\(id) already exists"
    case .variant(let name, let error): "layout '\(excerpt(name))': \(error)"
    case .preparing(let id): "\(id) will be brought up to date at its next use"
    case .layoutsUnderWay(let id):
      "\(id) was not laid out, because other widths of the dataset were; try again"
    case .limit(let error), .countLimit(let error): error.description
    case .cannotLayOut(let id, let error): "\(id) cannot be laid out: \(error)"
    case .configuration(let error): "invalid layout configuration: \(error)"
    case .duplicateKey(let duplicate): duplicate.description
    case .batchTooLong(let error): "\(error); split it into several batches, or import the items"
    case .temporaryTooLarge(let error, let advice): "\(error); \(advice)"
    case .filter(let reason): reason
    case .refused(let number, let reason): "operation \(number): \(reason)"
    case .revisionMismatch(let expected, let present, let dataset):
      "dataset '\(excerpt(dataset))' is at revision \(present), expected \(expected)"
    case .cannotUndo(let revision, let obstacle, let dataset):
      "revision \(revision) of dataset '\(excerpt(dataset))' can't be undone: \(obstacle)"
    case .idempotencyKeyReused(let key):
      "idempotency key '\(excerpt(key))' was used for a different batch; use a new key"
    case .noSuchRevision(let revision, let present, let dataset):
      "dataset '\(excerpt(dataset))' is at revision \(present); it has no revision \(revision) yet"
    case .continuationMismatch(let own, let asked) where own == asked:
      "the continuation belongs to another view of \(own)"
    case .continuationMismatch(let own, let asked):
      "the continuation belongs to \(own), not to \(asked)"
    case .continuationExpired(let dataset):
      """
      the continuation for dataset '\(excerpt(dataset))' has expired; begin again without it, or \
      from an item
      """
    case .concurrentModification(let dataset):
      "'\(excerpt(dataset))' kept changing while it was read; try again"
    case .sharedLogUnavailable(let reason): "shared log unavailable: \(reason)"
    case .outcomeUnknown(let reason):
      """
      it is unknown whether the change was applied; send it again with the same idempotency key: \
      \(reason)
      """
    case .belongsToNode(let path):
      "\(path) belongs to a node of a cluster; send changes to one of the cluster's nodes"
    case .fileReplaced(let path, let reason):
      "\(path) is not the database that was opened: \(reason); open it again"
        + (changedNothing ? "; nothing was changed" : "")
    case .closed(let path): "the cache of \(path) has been closed; open it again"
    case .inUse(let path):
      """
      this call on \(path) would wait for the call that it is made from; make it after that call \
      has returned
      """
    case .database(_, let message): changedNothing ? "\(message); nothing was changed" : message
    }
  }
}

extension Commit.LaggingLayout {
  init(layout: String, _ error: LayoutCacheError) {
    self.init(layout: layout, code: error.code.name, reason: error.description)
  }
}
