#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard error, with one line per message.
enum StandardError {
  static var isTerminal: Bool { isatty(RunContext.current.error) == 1 }

  /// Writes a message after the program's name.
  ///
  /// Line breaks and other control characters, which file names and keys may contain, are
  /// escaped, so that a message stays one line.
  ///
  /// - Parameter time: The time of the message, for a log.
  static func writeLine(_ message: String, time: String? = nil) {
    ProgressLine.clear()
    let name = TextStyle.of(standardError: true).failure("layoutcache:")
    write("\(time.map { $0 + " " } ?? "")\(name) \(singleLine(message))\n")
  }

  /// Writes text unchanged, after clearing the progress line.
  static func write(_ text: String) {
    ProgressLine.clear()
    writeUnguarded(text)
  }

  /// Writes text at the cursor's position, for ``ProgressLine``.
  static func writeUnguarded(_ text: String) {
    // A failure of standard error itself can't be reported.
    _ = writeBytes(Array(text.utf8), to: RunContext.current.error)
  }

  private static func singleLine(_ message: String) -> String {
    var line = ""
    for scalar in message.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line += scalar.escaped(asASCII: true)
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
