#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A picture file, in the form given by its extension.
struct PictureFile {
  enum Form: String, CaseIterable {
    case svg
    /// Drawn by librsvg's program, if it is installed.
    case png
  }

  let path: String
  let form: Form

  /// Cairo's longest side of a picture in pixels.
  static let sideMax = 32_767
  private static let converter = "rsvg-convert"

  /// - Returns: `nil` for a path without a form's extension.
  init?(path: String) {
    let form = Form.allCases.first { path.lowercased().hasSuffix(".\($0.rawValue)") }
    guard let form else { return nil }
    (self.path, self.form) = (path, form)
  }

  /// Whether this machine can write the form.
  static func canWrite(_ form: Form) -> Bool { form != .png || programPath(converter) != nil }

  /// Writes a picture, replacing the file's contents.
  ///
  /// - Throws: ``Failure``: `usage` if the machine can't write the form; `inputOutput`.
  func write(svg: String) throws {
    guard form == .png else { return try writeFile(svg, to: path) }
    guard Self.canWrite(.png) else {
      throw Failure(
        .usage,
        """
        cannot draw \(path) without \(Self.converter); install it ('apt-get install \
        librsvg2-bin', 'brew install librsvg'), or name a file that ends in .svg
        """)
    }
    let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard output >= 0 else { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
    defer { close(output) }
    let status = try Self.convert(svg, to: output)
    guard status == 0 else {
      unlink(path)
      // The wait status: the exit code is above the signal.
      let end = status & 0x7F == 0 ? "exit code \(status >> 8)" : "signal \(status & 0x7F)"
      throw Failure(.inputOutput, "cannot draw \(path): \(Self.converter) ended with \(end)")
    }
  }

  /// Runs the converter on a document.
  ///
  /// - Returns: The wait status of the process: 0 for success.
  private static func convert(_ svg: String, to output: Int32) throws -> Int32 {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw Failure(.inputOutput, "cannot run \(converter)", errno: errno)
    }
    // The child must not inherit the write end, because it waits for that to be closed.
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    let process: pid_t
    do {
      defer { close(ends[0]) }
      process = try startProgram([converter, "--unlimited"], input: ends[0], output: output)
    } catch {
      close(ends[1])
      throw error
    }
    // It reads everything before it draws. If it exits earlier, its status tells.
    _ = writeBytes(Array(svg.utf8), to: ends[1])
    close(ends[1])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        throw Failure(.inputOutput, "cannot wait for \(converter)", errno: errno)
      }
    }
    return status
  }
}
