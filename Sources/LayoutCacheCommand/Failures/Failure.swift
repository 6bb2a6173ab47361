import ArgumentParser
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// Why a command has not done what it was asked for, as the user is told.
struct Failure: Error {
  var status: ExitStatus
  /// What programs know it by: the name of the library's error, else of the exit status.
  var code: String
  /// What and where, and perhaps what to do; one clause after another, without a full stop.
  var message: String
  /// What to do, or what was probably meant; its own clause.
  var hint: String?
  /// The input's line at fault, from 1.
  var line: Int?

  init(
    _ status: ExitStatus, _ message: String, code: String? = nil, hint: String? = nil,
    line: Int? = nil
  ) {
    self.status = status
    self.code = code ?? status.name
    self.message = message
    self.hint = hint
    self.line = line
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
      self.init(
        ExitStatus(error.category), error.description, code: error.code.name,
        hint: Self.advice(error.code))
    case let error as LimitError:
      self.init(.badInput, error.description, code: "limit")
    case let error as ConfigurationError:
      self.init(.badInput, "the layout is refused: \(error)", code: "configuration")
    default:
      if RootCommand.exitCode(for: error) == .failure {
        self.init(.internalError, "internal error: \(error)", hint: "please report it")
      } else {
        return nil
      }
    }
  }

  /// What to do about an error of the library's, where it does not say so itself.
  static func advice(_ code: LayoutCacheError.Code) -> String? {
    switch code {
    case .noSuchDataset: "'layoutcache datasets' lists those that there are"
    case .noSuchLayout(let layout):
      "'layoutcache layout list --dataset \(excerpt(layout.dataset))' lists those that it has"
    case .noSuchKey: "keys are compared byte for byte"
    case .datasetExists: "import into it with --append or --replace, or choose another name"
    case .database(.notFound, _): "'layoutcache import' makes one"
    case .database(.bug, _): "please report it"
    default: nil
    }
  }
}

extension Failure {
  /// Tells the user on standard error, in one line: words, or a JSON object.
  ///
  /// - Parameter help: The command that prints the help of what was called, where that is of
  ///   use to people.
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
