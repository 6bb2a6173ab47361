import LayoutCache

/// How the process ends: the codes of `sysexits.h`, where they have one.
enum ExitStatus: Int32 {
  case done = 0
  /// A check found differences: of a layout from one from scratch, or of the dataset's
  /// revision from the one that was expected.
  case differences = 1
  case usage = 64
  case badInput = 65
  /// No such file, dataset, layout or key.
  case notFound = 66
  case internalError = 70
  case inputOutput = 74
  case busy = 75
  /// The database is damaged, not ours, or of a newer version.
  case corrupt = 76
  /// The user has given up: 128 and the number of the signal, as shells have it.
  case interrupted = 130

  /// What programs are told of a failure that has no closer name.
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

  /// The one place where the library's errors get their exit code.
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
