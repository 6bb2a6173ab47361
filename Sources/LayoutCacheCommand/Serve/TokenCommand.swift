import ArgumentParser
import LayoutCache
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
    commandName: "token", abstract: "Create and sign access tokens for the HTTP service",
    subcommands: [TokenCreateCommand.self, TokenSignCommand.self],
    defaultSubcommand: TokenCreateCommand.self)
}

/// The file of the service's tokens.
struct TokenFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The token file (default: $LAYOUTCACHE_TOKENS, or tokens)", valueName: "file"),
    completion: .file())
  var tokens: String?

  var path: String {
    tokens ?? environmentVariable("LAYOUTCACHE_TOKENS").flatMap { $0.isEmpty ? nil : $0 }
      ?? "tokens"
  }

  /// Returns the text, and what it means; `nil` for a file that is missing or empty.
  func read() throws -> (text: String, tokens: AccessTokens)? {
    let text = access(path, F_OK) == 0 ? try InputFile(path).readText(bytesMax: 1 << 20) : ""
    guard text.contains(where: { !$0.isWhitespace }) else { return nil }
    do { return (text, try AccessTokens(text: text)) } catch {
      throw Failure(.badInput, "\(path), \(error)")
    }
  }
}

struct TokenCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an access token, or a key that signs tokens",
    discussion: """
      Prints a random token, and appends its hash to the token file, which is created if it is \
      missing. The token itself is not stored. With --key it prints a secret, with which your \
      backend signs tokens (HS256), and stores it. A running service reads the file again after \
      SIGHUP. To revoke a token or a key, delete its line.

      Examples:
        layoutcache token shop --write shop- --tokens tokens
        layoutcache token create mobile --key album- --tokens keys
      """)

  @OptionGroup var output: FormatOption

  @Argument(help: "The name of the token or key, for the log and the file")
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
      "Create a key whose tokens are for datasets whose names begin so, * for all",
      valueName: "prefix"))
  var key: String?

  @OptionGroup var file: TokenFileOption

  /// The scope of the line, and the prefix of the datasets.
  private var stated: [(scope: String, prefix: String)] {
    [("read", read), ("write", write), ("hs256", key)].compactMap { scope, prefix in
      prefix.map { (scope, $0) }
    }
  }

  func validate() throws {
    guard stated.count == 1 else {
      throw ValidationError("one of --read, --write and --key is needed")
    }
    for (text, what) in [(name, "the name"), (stated[0].prefix, "the prefix")] {
      let isWord = !text.isEmpty && !text.contains { $0.isWhitespace || $0 == "#" }
      guard isWord, text.utf8.count <= 255 else {
        throw ValidationError(
          "\(what) must be 1 to 255 bytes without spaces and '#', not '\(excerpt(text))'")
      }
    }
  }

  func run() throws {
    let (path, present) = (file.path, try file.read())
    if present?.tokens.has(name: name) ?? false {
      throw Failure(.usage, "\(path) has a token '\(excerpt(name))'", hint: "choose another name")
    }
    let (scope, prefix) = stated[0]
    let (token, line) = AccessTokens.random(name: name, scope: scope, datasetPrefix: prefix)
    let beginning = present.map { $0.text.hasSuffix("\n") ? "" : "\n" } ?? ""
    try append(beginning + line + "\n", to: path)
    if output.json {
      try StandardOutput.printJSON { json in
        json.beginObject()
        json.member("name", name)
        json.member("scope", scope)
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
  /// file, because the service runs as another one: a hash of a random token does not reveal it. A
  /// key is a secret.
  private func append(_ text: String, to path: String) throws {
    let mode: mode_t = key == nil ? 0o644 : 0o600
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode)
    if descriptor < 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    if key != nil, fstat(descriptor, &status) == 0, status.st_mode & 0o004 != 0 {
      throw Failure(
        .usage, "all users can read \(path), and a key is a secret", hint: "run chmod o-r on it")
    }
    let code = writeBytes(Array(text.utf8), to: descriptor)
    if code != 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: code) }
  }
}

struct TokenSignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Sign a token with a key of the token file, for trying",
    discussion: """
      Prints a JSON Web Token, as your backend makes them for its viewers. What is not stated is \
      not permitted.

      Example:
        layoutcache token sign app --datasets album-17 --layouts phone --where owner=u1
      """)

  @Argument(help: "The key's name")
  var key: String

  @Option(help: ArgumentHelp("Names, or beginnings of names and *", valueName: "name,..."))
  var datasets: String

  @Option(help: ArgumentHelp("As --datasets", valueName: "name,..."))
  var layouts = ""

  @Option(help: ArgumentHelp("Of read, query, measure, write", valueName: "what,..."))
  var may = "read"

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Only the items that match", valueName: "filter"))
  var filter: String?

  @Option(help: "Only the items of a named view")
  var view: String?

  @Option(help: ArgumentHelp("The viewer's name, for logs and limits", valueName: "name"))
  var subject: String?

  @Option(help: "How long it is valid")
  var minutes = 60

  @OptionGroup var file: TokenFileOption

  func validate() throws {
    if !(1...525_600).contains(minutes) { throw ValidationError("--minutes must be 1 to 525600") }
  }

  func run() throws {
    func write(_ list: String, as name: String, to json: inout JSONWriter) {
      json.member(name)
      json.beginArray()
      for text in list.split(separator: ",") { json.value(String(text)) }
      json.endArray()
    }
    var json = JSONWriter()
    json.beginObject()
    json.optionalMember("sub", subject)
    json.member("exp", Int(WallClock.system.now() / 1000) + minutes * 60)
    json.member("layoutcache")
    json.beginObject()
    write(datasets, as: "datasets", to: &json)
    write(layouts, as: "layouts", to: &json)
    write(may, as: "may", to: &json)
    json.optionalMember("where", filter)
    json.optionalMember("view", view)
    json.endObject()
    json.endObject()
    do {
      let claims = String(decoding: json.bytes, as: UTF8.self)
      if let token = try file.read()?.tokens.signed(claims, by: key) {
        return try StandardOutput.printLine(token)
      }
    } catch let problem as TokenFault {
      throw Failure(.usage, problem.description)
    }
    throw Failure(
      .notFound, "\(file.path) has no key '\(excerpt(key))'",
      hint: "'layoutcache token create' makes one")
  }
}
