import Foundation

/// Why a benchmark has not measured what it was asked for, as the user is told.
struct Failure: Error {
  /// How the process ends: codes of `sysexits.h`.
  enum Status: Int32 {
    /// A wrong answer, among others: figures of wrong answers are worth nothing.
    case internalError = 70
    case inputOutput = 74
  }

  var status: Status
  /// What, where, and what to do; one clause after another, without a full stop.
  var message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// A failure of a system call.
  ///
  /// - Parameter action: What failed, as in "cannot read tate.csv".
  init(_ status: Status, _ action: String, errno code: Int32) {
    self.init(status, "\(action): \(String(cString: strerror(code)))")
  }
}
