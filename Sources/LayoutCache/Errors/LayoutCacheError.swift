public import CollectionLayout
public import LayoutGeometry
import LayoutStore

/// Any error of the library's calls, with the values that make it actionable.
///
/// All that a cache, an importer or a snapshot throws is one of these, or what the
/// caller's own closure threw. Making a value says in its type what it throws, such as
/// `Item.init`, which throws a `LimitError`; within a closure of a call that becomes
/// ``Code/limit(_:)``.
public struct LayoutCacheError: Error, Sendable {
  /// The kind of failure.
  @nonexhaustive
  public enum Code: Sendable {
    case noSuchDataset(String)
    case noSuchLayout(LayoutID)
    case noSuchKey(String, dataset: String)
    /// An import into a dataset that exists needs to say what happens to it.
    case datasetExists(String)
    /// A layout of the dataset has the name already.
    case layoutExists(LayoutID)
    /// A value beyond one of `Limits`.
    case limit(LimitError)
    /// One dataset more than `Limits.datasetsMax`, or one layout more than `Limits.layoutsMax`;
    /// nothing was changed.
    case countLimit(LimitError)
    /// A layout whose result would be beyond one of `Limits`, or whose custom kind has no
    /// place for an item.
    case cannotLayOut(LayoutID, LayoutRefusal)
    /// A layout configuration that is refused.
    case configuration(ConfigurationError)
    /// A key that two items of an import have, or an item and the dataset.
    case duplicateKey(DuplicateKey)
    /// A batch beyond `Limits.batchBytesMax`; nothing was changed. Its items are imported.
    case batchTooLong(LimitError)
    /// A batch with an operation that cannot be carried out; nothing was changed.
    case refused(RefusedOperation)
    /// A batch that expects another revision than the present one; nothing was changed.
    case revisionMismatch(expected: Int, present: Int, dataset: String)
    /// The newest commit can't be taken back; nothing was changed.
    case cannotUndo(revision: Int, UndoObstacle, dataset: String)
    /// A batch that comes with the idempotency key of another one; nothing was changed.
    case idempotencyKeyReused(String)
    /// A revision that the dataset has not come to yet.
    case noSuchRevision(Int, present: Int, dataset: String)
    /// A continuation of another layout than the one that is asked.
    case otherLayoutsContinuation(LayoutID, asked: LayoutID)
    /// A continuation whose place nothing tells any more: the dataset has been removed and
    /// made again, or the log does not reach back so far.
    case continuationIsGone(dataset: String)
    /// The dataset changed while the answer was being read, again and again.
    case changedMeanwhile(dataset: String)
    /// The log that nodes of a cluster share can't be written or read just now; nothing was
    /// changed.
    case sharedLogIsAway(String)
    /// It is not known whether a change has got into the log that nodes share: the same request
    /// is to be sent again, with the same idempotency key.
    case outcomeIsUnknown(String)
    /// The file belongs to a node of a cluster, which alone changes it.
    case belongsToNode(path: String)
    /// The file was deleted, moved or replaced while the cache had it open, as the reason says:
    /// changes would be lost with it. A cache that opens the path again has the file that is there.
    case fileReplaced(path: String, reason: String)
    /// The cache has been closed, or is being closed.
    case closed(path: String)
    /// The cache can't be closed within one of its own calls; it is open as before.
    case inUse(path: String)
    /// The database file: it is missing, busy, damaged, or can't be read or
    /// written; the message says which and what to do.
    case database(Category, message: String)
  }

  /// Whose fault an error is: what a server or a command line makes of it.
  @nonexhaustive
  public enum Category: Hashable, Sendable {
    /// The call is at odds with the state, such as a second import.
    case usage
    /// The state is not the one that the caller has stated: somebody else has changed it.
    case conflict
    /// The data are refused.
    case input
    /// The requested object does not exist.
    case notFound
    /// The operating system failed.
    case inputOutput
    /// Another process is writing; trying again may help.
    case busy
    /// The file is damaged, not ours, or of a newer version.
    case corrupt
    /// A mistake of this library's.
    case bug
  }

  public var code: Code
  /// What a query of a snapshot has come upon, for whoever can lay out again what is
  /// damaged.
  var damage: Damage?
  /// Whether the file, or its folder, cannot be written.
  var isReadOnly = false
  /// Whether the change may be found when the file is opened again, although it has failed.
  var mayBeStored = false
  /// Whether the call is known to have changed nothing.
  package private(set) var changedNothing = false

  public init(_ code: Code) { self.code = code }

  /// The error of a call that has committed something before.
  var afterCommit: LayoutCacheError {
    var error = self
    error.changedNothing = false
    return error
  }

  /// The error of a call that has changed nothing; the same where its code already states that,
  /// or where that is not certain.
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
    case .noSuchDataset, .noSuchLayout, .noSuchKey, .continuationIsGone: .notFound
    case .datasetExists, .layoutExists, .idempotencyKeyReused, .otherLayoutsContinuation,
      .belongsToNode, .closed, .inUse:
      .usage
    case .limit, .countLimit, .cannotLayOut, .configuration, .duplicateKey, .batchTooLong,
      .noSuchRevision,
      .cannotUndo:
      .input
    case .refused(let refused):
      switch refused.reason {
      case .noSuchKey, .noSuchSection, .noSuchLayout: .notFound
      default: .input
      }
    case .revisionMismatch: .conflict
    case .changedMeanwhile, .sharedLogIsAway, .outcomeIsUnknown: .busy
    case .fileReplaced: .inputOutput
    case .database(let category, _): category
    }
  }
}

extension LayoutCacheError.Code {
  /// The name of the case, for programs that are told of an error as text.
  package var name: String {
    switch self {
    case .noSuchDataset: "noSuchDataset"
    case .noSuchLayout: "noSuchLayout"
    case .noSuchKey: "noSuchKey"
    case .datasetExists: "datasetExists"
    case .layoutExists: "layoutExists"
    case .limit: "limit"
    case .countLimit: "countLimit"
    case .cannotLayOut: "cannotLayOut"
    case .configuration: "configuration"
    case .duplicateKey: "duplicateKey"
    case .batchTooLong: "batchTooLong"
    case .refused: "refused"
    case .revisionMismatch: "revisionMismatch"
    case .cannotUndo: "cannotUndo"
    case .idempotencyKeyReused: "idempotencyKeyReused"
    case .noSuchRevision: "noSuchRevision"
    case .otherLayoutsContinuation: "otherLayoutsContinuation"
    case .continuationIsGone: "continuationIsGone"
    case .changedMeanwhile: "changedMeanwhile"
    case .sharedLogIsAway: "sharedLogIsAway"
    case .outcomeIsUnknown: "outcomeIsUnknown"
    case .belongsToNode: "belongsToNode"
    case .fileReplaced: "fileReplaced"
    case .closed: "closed"
    case .inUse: "inUse"
    case .database: "database"
    }
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
    case .datasetExists(let name): "dataset '\(excerpt(name))' exists"
    case .layoutExists(let id): "\(id) exists"
    case .limit(let error), .countLimit(let error): error.description
    case .cannotLayOut(let id, let error): "\(id) cannot be laid out: \(error)"
    case .configuration(let error): "the layout is refused: \(error)"
    case .duplicateKey(let duplicate): duplicate.description
    case .batchTooLong(let error): "\(error); import its items, or change them in several batches"
    case .refused(let refused): refused.description
    case .revisionMismatch(let expected, let present, let dataset):
      "dataset '\(excerpt(dataset))' is at revision \(present), where \(expected) was expected"
    case .cannotUndo(let revision, let obstacle, let dataset):
      "revision \(revision) of dataset '\(excerpt(dataset))' can't be taken back: \(obstacle)"
    case .idempotencyKeyReused(let key):
      "the idempotency key '\(excerpt(key))' came with another batch before; each needs its own"
    case .noSuchRevision(let revision, let present, let dataset):
      "dataset '\(excerpt(dataset))' is at revision \(present), and has no revision \(revision) yet"
    case .otherLayoutsContinuation(let own, let asked):
      "the continuation is of \(own), and not of \(asked)"
    case .continuationIsGone(let dataset):
      """
      where the continuation was in dataset '\(excerpt(dataset))' is not known any more; begin \
      again, or from an item
      """
    case .changedMeanwhile(let dataset):
      "dataset '\(excerpt(dataset))' kept changing while it was read; try again"
    case .sharedLogIsAway(let reason): "the shared log is away: \(reason)"
    case .outcomeIsUnknown(let reason):
      """
      it is not known whether the change was carried out; send it again with the same idempotency \
      key: \(reason)
      """
    case .belongsToNode(let path):
      "\(path) belongs to a node of a cluster; send changes to one of the cluster's nodes"
    case .fileReplaced(let path, let reason):
      "\(path) is not the database that was opened: \(reason); open it again"
        + (changedNothing ? "; nothing was changed" : "")
    case .closed(let path): "the cache of \(path) has been closed; open it again"
    case .inUse(let path):
      """
      the cache of \(path) can't be closed within one of its own calls; close it when that has \
      returned
      """
    case .database(_, let message): changedNothing ? "\(message); nothing was changed" : message
    }
  }
}

extension Commit.LayoutBehind {
  init(layout: String, _ error: LayoutCacheError) {
    self.init(layout: layout, code: error.code.name, reason: error.description)
  }
}
