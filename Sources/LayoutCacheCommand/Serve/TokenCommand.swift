import ArgumentParser
import LayoutCacheService
import LayoutGeometry
import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create an access token for the HTTP service",
    discussion: """
      Prints a random token, and appends its hash to the token file, which is created if it is \
      missing. The token itself is not stored. A running service reads the file again after \
      SIGHUP. To revoke a token, delete its line.

      Example:
        layoutcache token shop --write shop- --tokens tokens
      """)

  @OptionGroup var output: FormatOption

  @Argument(help: "The token's name, for the log and the file")
  var name: String

  @Option(
    help: ArgumentHelp(
      "Let the token read datasets whose names begin so, * for all", valueName: "prefix"))
  var read: String?

  @Option(
    help: ArgumentHelp(
      "Let the token read and write datasets whose names begin so, * for all",
      valueName: "prefix"))
  var write: String?

  @Option(
    help: ArgumentHelp(
      "The token file (default: $LAYOUTCACHE_TOKENS, or tokens)", valueName: "file"),
    completion: .file())
  var tokens: String?

  func validate() throws {
    guard (read == nil) != (write == nil) else {
      throw ValidationError("one of --read and --write is needed")
    }
    for (text, what) in [(name, "the name"), (read ?? write ?? "", "the prefix")] {
      let isWord = !text.isEmpty && !text.contains { $0.isWhitespace || $0 == "#" }
      guard isWord, text.utf8.count <= 255 else {
        throw ValidationError(
          "\(what) must be 1 to 255 bytes without spaces and '#', not '\(excerpt(text))'")
      }
    }
  }

  func run() throws {
    let path =
      tokens ?? environmentVariable("LAYOUTCACHE_TOKENS").flatMap { $0.isEmpty ? nil : $0 }
      ?? "tokens"
    let present = access(path, F_OK) == 0 ? try InputFile(path).readText(bytesMax: 1 << 20) : ""
    if present.contains(where: { !$0.isWhitespace }) {
      do {
        if try AccessTokens(text: present).has(name: name) {
          throw Failure(
            .usage, "\(path) has a token '\(excerpt(name))'", hint: "choose another name")
        }
      } catch let error as AccessTokensError {
        throw Failure(.badInput, "\(path), \(error)")
      }
    }
    let prefix = read ?? write ?? "*"
    let (token, line) = AccessTokens.random(
      name: name, mayWrite: write != nil, datasetPrefix: prefix)
    try append((present.isEmpty || present.hasSuffix("\n") ? "" : "\n") + line + "\n", to: path)
    if output.json {
      try StandardOutput.printJSON { json in
        json.beginObject()
        json.member("name", name)
        json.member("scope", write == nil ? "read" : "write")
        json.member("datasets", prefix)
        json.member("token", token)
        json.member("file", path)
        json.endObject()
      }
    } else {
      try StandardOutput.printLine(token)
    }
  }

  /// Appends in one write, so that two processes do not mix their lines. All users may read a new
  /// file, because the service runs as another one: a hash of a random token does not reveal it.
  private func append(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
    defer { close(descriptor) }
    let code = writeBytes(Array(text.utf8), to: descriptor)
    if code != 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: code) }
  }
}
