import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The failure of a command, as reported to the user.
struct Failure: Error {
  var status: ExitStatus
  /// The code for programs: the name of the library's error, else of the exit status.
  var code: String
  /// The error and its location, possibly with a remedy; clauses without a full stop.
  var message: String
  /// The remedy, or a similar name, as a separate clause.
  var hint: String?
  /// The line of the input at fault, from 1.
  var line: Int?

  init(
    _ status: ExitStatus, _ message: String, code: String? = nil, hint: String? = nil,
    line: Int? = nil
  ) {
    self.status = status
    self.code = code ?? status.name
    (self.message, self.hint, self.line) = (message, hint, line)
  }

  /// Creates the failure of a system call.
  ///
  /// - Parameter action: The failed action, as in "cannot read tate.csv".
  init(_ status: ExitStatus = .inputOutput, _ action: String, errno code: Int32) {
    let hint: String? =
      switch code {
      case ENOENT: "create the folder, or check the path"
      case EACCES, EPERM: "check the permissions"
      case ENOSPC, EDQUOT: "free some space"
      default: nil
      }
    self.init(status, "\(action): \(systemMessage(code))", hint: hint)
  }
}

extension Failure {
  /// Creates the failure for an error.
  ///
  /// - Returns: `nil` for an error of the argument parser.
  init?(_ error: any Error) {
    switch error {
    case let failure as Failure:
      self = failure
    case let error as LayoutCacheError:
      self.init(
        ExitStatus(error.category), error.description, code: error.code.name,
        hint: Self.advice(error.code))
    case let error as LimitError:
      self.init(.badInput, error.description, code: "limit")
    case let error as ConfigurationError:
      self.init(.badInput, "invalid layout configuration: \(error)", code: "configuration")
    default:
      if RootCommand.exitCode(for: error) == .failure {
        self.init(.internalError, "internal error: \(error)", hint: "report it as a bug")
      } else {
        return nil
      }
    }
  }

  /// Returns the remedy for an error of the library whose message contains none.
  static func advice(_ code: LayoutCacheError.Code) -> String? {
    switch code {
    case .noSuchDataset: "'layoutcache datasets' lists the datasets"
    case .noSuchLayout(let layout):
      "'layoutcache layout list --dataset \(excerpt(layout.dataset))' lists its layouts"
    case .noSuchKey: "keys are compared byte for byte"
    case .datasetExists:
      "choose another name; an import into it needs --append, --replace or --match"
    case .database(.notFound, _): "'layoutcache import' creates one"
    case .database(.bug, _): "report it as a bug"
    default: nil
    }
  }
}

extension Failure {
  /// Reports the failure on standard error, in one line: text or a JSON object.
  ///
  /// - Parameter help: The command that prints the relevant help, if it is useful to people.
  func report(asJSON isJSON: Bool, help: String? = nil) {
    guard isJSON else {
      return StandardError.writeLine(clauses(message, hint, help.map { "see '\($0)'" }))
    }
    var json = JSONWriter()
    json.beginObject()
    json.member("error")
    json.beginObject()
    json.member("code", code)
    json.member("exitCode", Int(status.rawValue))
    json.member("message", message)
    json.optionalMember("hint", hint)
    json.optionalMember("line", line)
    json.endObject()
    json.endObject()
    StandardError.write(String(decoding: json.bytes, as: UTF8.self) + "\n")
  }
}
