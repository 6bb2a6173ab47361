import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry

/// Why a command has not done what it was asked for, as the user is told.
struct Failure: Error {
  var status: ExitStatus
  /// What, where, and what to do; one clause after another, without a full stop.
  var message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// A failure of a system call.
  ///
  /// - Parameter action: What failed, as in "cannot read tate.csv".
  init(_ status: ExitStatus = .inputOutput, _ action: String, errno code: Int32) {
    self.init(status, "\(action): \(systemMessage(code))")
  }
}

extension Failure {
  /// What an error means.
  ///
  /// - Returns: `nil` for an error of the argument parser.
  init?(_ error: any Error) {
    switch error {
    case let failure as Failure:
      self = failure
    case let error as LayoutCacheError:
      self.init(ExitStatus(error.category), error.description + Self.advice(error.code))
    case let error as LimitError:
      self.init(.badInput, error.description)
    case let error as ConfigurationError:
      self.init(.badInput, "the layout is refused: \(error)")
    default:
      if RootCommand.exitCode(for: error) == .failure {
        self.init(.internalError, "internal error: \(error); please report it")
      } else {
        return nil
      }
    }
  }

  /// What to do about an error of the library's, where it does not say so itself.
  private static func advice(_ code: LayoutCacheError.Code) -> String {
    switch code {
    case .noSuchDataset: "; 'layoutcache datasets' lists those that there are"
    case .noSuchLayout(let layout):
      "; 'layoutcache layout list --dataset \(excerpt(layout.dataset))' lists those that it has"
    case .noSuchKey: "; keys are compared byte for byte"
    case .datasetExists: "; import into it with --append or --replace, or choose another name"
    case .database(.notFound, _): "; 'layoutcache import' makes one"
    case .database(.bug, _): "; please report it"
    default: ""
    }
  }
}
