import Foundation

/// The reason why a benchmark failed, as reported to the user.
struct Failure: Error {
  /// The exit code of the process, from `sysexits.h`.
  enum Status: Int32 {
    /// A wrong answer, among others: figures of wrong answers are worthless.
    case internalError = 70
    case inputOutput = 74
  }

  var status: Status
  /// The problem, its location and the remedy, without a full stop.
  var message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// A failure of a system call.
  ///
  /// - Parameter action: The failed action, as in "cannot read tate.csv".
  init(_ status: Status, _ action: String, errno code: Int32) {
    self.init(status, "\(action): \(String(cString: strerror(code)))")
  }
}
