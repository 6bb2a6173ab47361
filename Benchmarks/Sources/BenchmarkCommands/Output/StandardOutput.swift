import Foundation

/// The output for the figures.
enum StandardOutput {
  /// Writes a text verbatim.
  ///
  /// - Throws: ``Failure`` with `inputOutput`, also if the reader has disconnected.
  static func write(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw Failure(.inputOutput, "cannot write to standard output: \(error.localizedDescription)")
    }
  }
}

/// The output for failures and progress.
enum StandardError {
  static func write(_ text: String) {
    // If standard error fails, the failure cannot be reported.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
