import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard output, buffered and written in large pieces.
///
/// Buffered text is lost unless ``flush()`` is called.
struct StandardOutput {
  private static let pieceBytes = 1 << 16

  private var pending: [UInt8] = []

  mutating func write(_ bytes: some Sequence<UInt8>) throws {
    pending.append(contentsOf: bytes)
    if pending.count >= Self.pieceBytes { try flush() }
  }

  mutating func write(_ text: String) throws { try write(text.utf8) }

  mutating func writeLine(_ text: String) throws { try write(text + "\n") }

  /// Writes the buffered text.
  ///
  /// - Throws: ``OutputClosed`` if the reader has closed the pipe; ``Failure``.
  mutating func flush() throws {
    let output = RunContext.current.output
    // On a shared terminal the answer replaces the progress line.
    if isatty(output) == 1 { ProgressLine.end() }
    switch writeBytes(pending, to: output) {
    case 0: break
    case EPIPE: throw OutputClosed()
    case let code: throw Failure(.inputOutput, "cannot write to standard output", errno: code)
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes text with a line break.
  static func printLine(_ text: String) throws {
    var output = StandardOutput()
    try output.writeLine(text)
    try output.flush()
  }

  /// Writes one JSON value on a line.
  static func printJSON(_ build: (inout JSONWriter) throws -> Void) throws {
    var json = JSONWriter()
    try build(&json)
    assert(json.isComplete)
    var output = StandardOutput()
    try output.write(json.bytes)
    try output.writeLine("")
    try output.flush()
  }
}
