import Foundation

/// Runs other programs and returns their output.
enum ProgramOutput {
  /// Runs a program to its end. Finds it as a shell does; shares this process's standard error.
  ///
  /// - Parameters:
  ///   - environment: Variables in addition to this process's.
  ///   - folder: Its current folder; this process's for `nil`.
  ///   - isQuiet: Whether its standard error is discarded.
  /// - Returns: Its standard output.
  /// - Throws: ``Failure`` if it cannot be run, or fails.
  static func of(
    _ name: String, _ arguments: [String], environment: [String: String] = [:],
    in folder: String? = nil, isQuiet: Bool = false
  ) throws -> String {
    guard let path = name.contains("/") ? name : ShellProgram.path(of: name) else {
      throw Failure(.inputOutput, "cannot run \(name): it is not installed")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    if isQuiet { process.standardError = FileHandle.nullDevice }
    let pipe = Pipe()
    process.standardOutput = pipe
    do { try process.run() } catch {
      throw Failure(.inputOutput, "cannot run \(name): \(error.localizedDescription)")
    }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        .internalError,
        "\(name) \(arguments.first ?? "") ended with status \(process.terminationStatus)")
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the first line of a program's output; `nil` if it cannot be run, or fails.
  static func line(of name: String, _ arguments: [String]) -> String? {
    // Callers treat the line as optional.
    let output = try? of(name, arguments, isQuiet: true)
    return output?.split(separator: "\n").first.map { String($0) }
  }
}
