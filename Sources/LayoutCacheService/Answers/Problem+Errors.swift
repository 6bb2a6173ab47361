import CollectionLayout
import LayoutCache
import LayoutCluster
import LayoutGeometry
import TextFormats

extension Problem {
  /// The one place where the library's errors get their status.
  ///
  /// - Returns: `nil` for an error that is no request's fault and none of the library's.
  init?(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as LayoutCacheError: self.init(error)
    case let error as ClusterError: self.init(error)
    case let error as ConfigurationError:
      self.init(.badOperation, "the layout is refused: \(error)")
    case let error as LimitError: self.init(.badRequest, error.description)
    case let error as FormatError:
      self.init(.badRow, error.description)
      line = error.line
    case let problem as RecordProblem:
      self.init(.badOperation, problem.description)
      line = problem.line
    case let error as ItemImportError: self.init(error)
    default: return nil
    }
  }

  private init(_ error: LayoutCacheError) {
    switch error.code {
    case .noSuchDataset, .noSuchLayout, .noSuchKey: self.init(.notFound, error.description)
    case .datasetExists, .layoutExists: self.init(.conflict, error.description)
    case .limit(let limit): self.init(.badRequest, limit.description)
    case .countLimit(let limit): self.init(.conflict, limit.description)
    case .cannotLayOut: self.init(.cannotLayOut, error.description)
    case .configuration: self.init(.badOperation, error.description)
    case .duplicateKey(let duplicate):
      self.init(.conflict, "\(duplicate); keys are unique in a dataset")
      line = duplicate.lines.last
      key = duplicate.key
    case .batchTooLong: self.init(.tooMuch, error.description)
    case .refused(let refused):
      self.init(refused.reason.isNeverPossible ? .badOperation : .conflict, refused.description)
      operation = refused.number
    case .revisionMismatch(_, let present, _):
      self.init(.otherRevision, error.description)
      revision = present
    case .cannotUndo: self.init(.conflict, error.description)
    case .idempotencyKeyReused: self.init(.reusedKey, error.description)
    case .noSuchRevision(_, let present, _):
      self.init(.badRequest, error.description)
      revision = present
    case .otherLayoutsContinuation: self.init(.badRequest, error.description)
    case .continuationIsGone: self.init(.continuationIsGone, error.description)
    case .changedMeanwhile: self.init(.busy, error.description)
    case .sharedLogIsAway: self.init(.logAway, "the node can't reach the shared log now")
    case .outcomeIsUnknown:
      self.init(
        .outcomeUnknown,
        "it is not known whether the change was carried out; send it again with the same key")
    case .belongsToNode: self.init(.conflict, "the file belongs to a node of a cluster")
    case .fileReplaced(_, let reason):
      self.init(
        .storage,
        "the database's file is not the one that the service opened: \(reason); "
          + (error.changedNothing ? "nothing was changed; " : "") + "restart the service")
    case .closed: self.init(.draining, "the service is stopping")
    case .inUse: self.init(.internalError, "the service's log says more")
    case .database(let category, _): self.init(category, changedNothing: error.changedNothing)
    @unknown default: self.init(.internalError, "the service's log says more")
    }
  }

  private init?(_ error: ClusterError) {
    switch error {
    case .replicaBehind(let reason): self.init(.behind, reason)
    case .diverged:
      self.init(
        .conflict, "the position is of another history: the dataset was removed, or restored")
    case .hasOwnDatasets, .checkpointMisleads: return nil
    }
  }

  /// A failure of the file. Its path and the system's words are for the log alone.
  private init(_ category: LayoutCacheError.Category, changedNothing: Bool) {
    switch category {
    case .busy: self.init(.busy, "another change is under way")
    case .corrupt: self.init(.damaged, "the database's file is damaged; the log says where")
    case .inputOutput, .notFound:
      let outcome = changedNothing ? "; nothing was changed" : ""
      self.init(
        .storage, "the database's file can't be read or written\(outcome); the log says why")
    default: self.init(.internalError, "the service's log says more")
    }
  }

  private init(_ error: ItemImportError) {
    switch error {
    case .badRow(let row):
      self.init(.badRow, "line \(row.line): \(row.reason)")
      line = row.line
    case .onlyBadRows(let count, let first):
      self.init(
        .badRow, "all rows (\(count)) are invalid, the first in line \(first.line): \(first.reason)"
      )
      line = first.line
    case .wouldEmpty(let skippedCount):
      self.init(
        .conflict,
        "no row was accepted (\(skippedCount) skipped), and the dataset would be left empty; "
          + "allowEmpty=true empties it")
    }
  }
}

extension RefusedOperation.Reason {
  /// Whether no dataset could take the operation.
  fileprivate var isNeverPossible: Bool {
    switch self {
    case .limit, .besideItself, .keyTwice, .sectionTwice, .markTwice: true
    default: false
    }
  }
}
