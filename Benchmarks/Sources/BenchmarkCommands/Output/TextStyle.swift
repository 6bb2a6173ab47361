import Foundation

/// The weight of text on a terminal. Has no effect on other outputs.
enum TextStyle {
  static func heading(_ text: String) -> String { styled(text, "1") }

  static func note(_ text: String) -> String { styled(text, "2") }

  private static func styled(_ text: String, _ code: String) -> String {
    isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Whether the output is a terminal that shows styles, and the user has not set
  /// NO_COLOR (https://no-color.org).
  private static let isEnabled: Bool = {
    let environment = ProcessInfo.processInfo.environment
    return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
      && isatty(STDOUT_FILENO) == 1
  }()
}
