#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The colour and weight of text on a terminal; plain in other outputs.
struct TextStyle {
  private let isEnabled: Bool

  /// Without colour and weight.
  static let plain = TextStyle(isEnabled: false)

  /// Returns the style of an output: plain unless it is a terminal with colours, and the user
  /// has not set NO_COLOR (https://no-color.org).
  static func of(standardError: Bool = false) -> TextStyle {
    let descriptor = standardError ? RunContext.current.error : RunContext.current.output
    let isRefused = environmentVariable("NO_COLOR").map { !$0.isEmpty } ?? false
    return TextStyle(
      isEnabled: !isRefused && environmentVariable("TERM") != "dumb" && isatty(descriptor) == 1)
  }

  func heading(_ text: String) -> String { styled(text, "1") }

  func note(_ text: String) -> String { styled(text, "2") }

  func failure(_ text: String) -> String { styled(text, "1;31") }

  private func styled(_ text: String, _ code: String) -> String {
    isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
