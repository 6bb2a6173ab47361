import Foundation

/// Where the figures go.
enum StandardOutput {
  /// Writes a text as it is.
  ///
  /// - Throws: ``Failure`` with `inputOutput`, also where nobody reads on.
  static func write(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw Failure(.inputOutput, "cannot write to standard output: \(error.localizedDescription)")
    }
  }
}

/// Where a failure and the progress go.
enum StandardError {
  static func write(_ text: String) {
    // Where standard error itself fails there is nowhere left to say so.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
