import CollectionLayout
import LayoutCache
import LayoutCluster
import LayoutGeometry
import TextFormats

extension Problem {
  /// Maps the library's errors to a problem and its status. This is the only such mapping.
  ///
  /// - Returns: `nil` for an error that neither the request nor the library has caused.
  init?(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as LayoutCacheError: self.init(error)
    case let error as ClusterError: self.init(error)
    case let error as ConfigurationError:
      self.init(.invalidOperation, "invalid layout configuration: \(error)")
    case let error as LimitError: self.init(.badRequest, error.description)
    case let error as ImportError: self.init(error)
    case let problem as RecordProblem:
      self.init(.invalidOperation, problem.description)
      line = problem.line
    default: return nil
    }
  }

  private init(_ error: LayoutCacheError) {
    switch error.code {
    case .noSuchDataset, .noSuchLayout, .noSuchKey, .noPreviousConfiguration, .noSuchTemplate,
      .noSuchView:
      self.init(.notFound, error.description)
    case .datasetExists, .layoutExists, .templateExists, .ofTemplate:
      self.init(.conflict, error.description)
    case .variant: self.init(.badRequest, error.description)
    case .preparing: self.init(.preparing, error.description)
    case .layoutsUnderWay:
      self.init(.preparing, "other widths of the dataset's layouts are being laid out")
    case .limit(let limit): self.init(.badRequest, limit.description)
    case .countLimit(let limit): self.init(.conflict, limit.description)
    case .cannotLayOut: self.init(.layoutFailed, error.description)
    case .configuration: self.init(.invalidOperation, error.description)
    case .duplicateKey(let duplicate):
      self.init(.conflict, "\(duplicate); keys are unique in a dataset")
      line = duplicate.lines.last
      key = duplicate.key
    case .batchTooLong, .temporaryTooLarge: self.init(.contentTooLarge, error.description)
    case .filter: self.init(.badRequest, error.description)
    case .refused(let number, let reason):
      self.init(reason.problemKind, error.description)
      operation = number
    case .revisionMismatch(_, let present, _):
      self.init(.revisionMismatch, error.description)
      revision = present
    case .cannotUndo: self.init(.conflict, error.description)
    case .idempotencyKeyReused: self.init(.idempotencyKeyReused, error.description)
    case .noSuchRevision(_, let present, _):
      self.init(.badRequest, error.description)
      revision = present
    case .continuationMismatch: self.init(.badRequest, error.description)
    case .continuationExpired: self.init(.continuationExpired, error.description)
    case .concurrentModification: self.init(.busy, error.description)
    case .sharedLogUnavailable: self.init(.logUnavailable, "the node can't reach the shared log")
    case .outcomeUnknown:
      self.init(
        .outcomeUnknown,
        "it is unknown whether the change was applied; send it again with the same Idempotency-Key")
    case .belongsToNode: self.init(.conflict, "the database file belongs to a cluster node")
    case .fileReplaced(_, let reason):
      self.init(
        .storageError,
        "the database file is not the one that the service opened: \(reason); "
          + (error.changedNothing ? "nothing was changed; " : "") + "restart the service")
    case .closed: self.init(.draining, "the service is stopping")
    case .inUse: self.init(.internalError, "see the service's log for the cause")
    case .database(let category, _):
      self.init(category, error.cause, changedNothing: error.changedNothing)
    @unknown default: self.init(.internalError, "see the service's log for the cause")
    }
  }

  private init?(_ error: ClusterError) {
    switch error {
    case .replicaBehind(let reason): self.init(.replicaBehind, reason)
    case .diverged:
      self.init(
        .conflict, "the position is from another history: the dataset was removed or restored")
    case .unsharedDatasets, .otherLog, .checkpointMisleads: return nil
    }
  }

  /// Creates the problem for a failure of the file. Its path and the system's message appear
  /// only in the log.
  private init(
    _ category: LayoutCacheError.Category, _ cause: LayoutCacheError.Cause?, changedNothing: Bool
  ) {
    let outcome = changedNothing ? "; nothing was changed" : ""
    switch (category, cause) {
    case (_, .unprepared(let layout)):
      self.init(
        .layoutNotPrepared,
        "\(layout) is not prepared, and the database is read-only; run 'layoutcache prepare' on "
          + "the file where it can be written, or on a copy of it")
    case (_, .diskFull): self.init(.storageError, "the disk is full\(outcome)")
    case (_, .readOnly):
      self.init(.storageError, "the database file can no longer be written\(outcome)")
    case (.busy, nil): self.init(.busy, "another change is in progress")
    case (.corrupt, nil):
      self.init(.databaseCorrupt, "the database file is damaged; see the service's log")
    case (.inputOutput, nil), (.notFound, nil):
      self.init(
        .storageError,
        "the database file can't be read or written\(outcome); see the service's log")
    default: self.init(.internalError, "see the service's log for the cause")
    }
  }

  private init(_ error: ImportError) {
    switch error.code {
    case .damagedFile: self.init(.badRequest, "the body is \(error)")
    case .packedFile: self.init(.invalidRow, "the body is \(error); send one of its files")
    case .noValidRow(let count):
      self.init(.invalidRow, "all \(count) rows are invalid, the first in \(error)")
    case .wouldEmpty(let skippedCount):
      self.init(
        .conflict,
        "no row was accepted (\(skippedCount) skipped), which would leave the dataset empty; "
          + "to allow that, add allowEmpty=true")
    default: self.init(.invalidRow, error.description)
    }
    if error.line > 0 { line = error.line }
  }
}

extension BatchError {
  fileprivate var problemKind: ProblemKind {
    switch self {
    // Invalid for every dataset, or for all but sorted ones.
    case .limit, .relativeToItself, .duplicateKey, .sectionTwice, .duplicateMark, .needsSection:
      .invalidOperation
    case .sorted: .sorted
    default: .conflict
    }
  }
}
