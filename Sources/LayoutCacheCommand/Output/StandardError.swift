import Foundation

/// Standard error, which holds one line for each message.
enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Writes a message behind the program's name.
  ///
  /// Line breaks and other control characters, which file names and keys from
  /// outside may hold, are escaped, so that a message stays one line.
  static func writeLine(_ message: String) {
    let name = TextStyle.of(standardError: true).failure("layoutcache:")
    write("\(name) \(singleLine(message))\n")
  }

  /// Writes bytes as they are.
  static func write(_ text: String) {
    var bytes = ArraySlice(text.utf8)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      // Where standard error itself fails there is nowhere left to say so.
      if count < 0 && errno != EINTR { return }
      bytes = bytes.dropFirst(max(0, count))
    }
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
