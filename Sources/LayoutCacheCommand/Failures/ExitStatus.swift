import LayoutCache

/// The exit code of the process: those of `sysexits.h` where one applies.
enum ExitStatus: Int32 {
  case done = 0
  /// A check found differences: between a layout and one from scratch, or between the dataset's
  /// revision and the expected one.
  case differences = 1
  case usage = 64
  case badInput = 65
  /// No such file, dataset, layout or key.
  case notFound = 66
  case internalError = 70
  case inputOutput = 74
  case busy = 75
  /// The database is damaged, of another application, or of a newer version.
  case corrupt = 76
  /// The user has interrupted the command: 128 plus the signal number, as in shells.
  case interrupted = 130

  /// The code in JSON of a failure without a more specific one.
  var name: String {
    switch self {
    case .done: "done"
    case .differences: "differences"
    case .usage: "usage"
    case .badInput: "badInput"
    case .notFound: "notFound"
    case .internalError: "internalError"
    case .inputOutput: "inputOutput"
    case .busy: "busy"
    case .corrupt: "corrupt"
    case .interrupted: "interrupted"
    }
  }

  /// Maps the library's error categories to exit codes. This is the only such mapping.
  init(_ category: LayoutCacheError.Category) {
    self =
      switch category {
      case .usage: .usage
      case .conflict: .differences
      case .input: .badInput
      case .notFound: .notFound
      case .inputOutput: .inputOutput
      case .busy: .busy
      case .corrupt: .corrupt
      case .bug: .internalError
      }
  }
}
