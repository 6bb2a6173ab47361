import Foundation

/// A line on a terminal with the current step. Shows nothing if standard error is not a terminal.
struct ProgressLine {
  private let isEnabled = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isEnabled { StandardError.write("\r\u{1B}[K\(text)") }
  }

  /// Clears the line.
  func clear() { show("") }
}
