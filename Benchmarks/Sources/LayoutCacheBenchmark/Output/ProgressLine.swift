import Foundation

/// One line on a terminal that says what is being measured; nothing where standard
/// error is no terminal.
struct ProgressLine {
  private let isEnabled = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isEnabled { StandardError.write("\r\u{1B}[K\(text)") }
  }

  /// Takes the line away.
  func clear() { show("") }
}
