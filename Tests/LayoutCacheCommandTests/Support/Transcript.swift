import Foundation
import Testing

/// A file with sessions: what is typed, and everything that is printed.
///
///     $ cat > feed.csv
///     < key,width,height
///     < a,1,2
///
///     ## The title of a session
///     # A comment.
///     $ layoutcache query --key b --dataset feed
///     ? 66 layoutcache: no item 'b' in dataset 'feed'
///
/// Each session begins in a separate folder, with the files of the steps above the first title. `<`
/// begins a line of standard input, and `?` the exit code and standard error, if there is any. A
/// line of output that begins like another one follows `\`, also an empty one; `\c` ends an
/// incomplete line. `\u{9}` is that character. `N` and `…` replace what differs between runs.
///
/// A step that begins with `layoutcache`, perhaps after variables, runs in the test's process, up
/// to the first `|` or `>`. The shell runs all else, with the built program in its path, except
/// `sql` with a statement, which changes the database, and `. feed`, which adds the files of
/// `Workplace.withFeed()`. `$NEXT` is the continuation that was printed last. `{1|2}` runs a step
/// once with each of the texts, and `each` before a command once with each line of its input.
struct Transcript {
  struct Step {
    var line: Int
    var command: String
    var input: [String] = []
    /// The lines below, as they are in the file.
    var printed: [String] = []
  }

  /// A line of the file that is only read, or a step.
  enum Part {
    case note(String)
    case step(Step)
  }

  private let url: URL
  private var parts: [Part] = []

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Transcripts")

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".txt") }.sorted()
  }

  init(_ name: String) throws {
    url = Self.folder.appending(path: name)
    let text = try String(contentsOf: url, encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("$ ") {
        parts.append(.step(Step(line: index + 1, command: String(line.dropFirst(2)))))
      } else if line.isEmpty || line.hasPrefix("#") {
        parts.append(.note(String(line)))
      } else if case .step(var step)? = parts.last {
        if line.hasPrefix("<") {
          step.input.append(String(line.dropFirst(line.hasPrefix("< ") ? 2 : 1)))
        } else {
          step.printed.append(String(line))
        }
        parts[parts.count - 1] = .step(step)
      } else {
        Issue.record("\(name), line \(index + 1) belongs to no step")
      }
    }
  }

  /// Runs each session, and compares what it prints with the file.
  ///
  /// With UPDATE_GOLDEN=1 it writes what it prints into the file.
  func check() throws {
    let titles = parts.indices.filter {
      if case .note(let line) = parts[$0] { line.hasPrefix("## ") } else { false }
    }
    try #require(!titles.isEmpty, "\(url.lastPathComponent) has no session")
    let beginning = try TranscriptSession(of: url)
    var written = try parts[..<titles[0]].map(beginning.run)
    let files = try beginning.files
    for (title, end) in zip(titles, titles.dropFirst() + [parts.endIndex]) {
      written += try parts[title..<end].map(TranscriptSession(of: url, with: files).run)
    }
    guard ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" else { return }
    let lines = written.flatMap { part in
      switch part {
      case .note(let line): [line]
      case .step(let step):
        ["$ " + step.command] + step.input.map { $0.isEmpty ? "<" : "< " + $0 } + step.printed
      }
    }
    try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
  }
}

/// A folder in which the steps of a session run.
private final class TranscriptSession {
  private let url: URL
  private let place: Workplace
  /// The continuation that was printed last.
  private var next = ""

  /// - Parameter files: The files of the folder, by name.
  init(of url: URL, with files: [String: Data] = [:]) throws {
    self.url = url
    place = try Workplace()
    try place.write(files)
  }

  var files: [String: Data] { get throws { try place.files } }

  /// Runs a step, and compares what it prints with the file.
  ///
  /// - Returns: The step with its output.
  func run(_ part: Transcript.Part) throws -> Transcript.Part {
    guard case .step(var step) = part else { return part }
    let location = SourceLocation(
      fileID: "LayoutCacheCommandTests/\(url.lastPathComponent)", filePath: url.path,
      line: step.line, column: 1)
    var printed: [String] = []
    for command in Self.alternatives(step.command) {
      let isEach = command.hasPrefix("each ")
      for input in isEach ? step.input.map({ [$0] }) : [step.input] {
        printed += lines(
          of: try invocation(of: command.dropFirst(isEach ? 5 : 0), input: input, location))
      }
    }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != "1" {
      let difference = printed.difference(from: step.printed).map { change in
        switch change {
        case .remove(_, let line, _): "\n- \(line)"
        case .insert(_, let line, _): "\n+ \(line)"
        }
      }
      #expect(difference.isEmpty, "\(step.command)\(difference.joined())", sourceLocation: location)
    }
    step.printed = printed
    return .step(step)
  }

  private func invocation(
    of command: some StringProtocol, input: [String], _ location: SourceLocation
  ) throws -> Invocation {
    let input = input.map { Self.decoded($0) + "\n" }.joined()
    let line = Self.decoded(String(command)).replacing("$NEXT", with: next)
    var (words, rest) = Self.words(of: line)
    if words.first == "." {
      try place.addFeed()
      return try place.shell(":")
    }
    if words.first == "sql" {
      try place.sql(String(line.dropFirst(4)))
      return try place.shell(":")
    }
    let assignments = words.prefix { $0.wholeMatch(of: /[A-Z_]+=.*/) != nil }
    words.removeFirst(assignments.count)
    guard words.first == "layoutcache" else { return try place.shell(line, input: input) }
    var variables: [String: String] = [:]
    for assignment in assignments {
      let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      variables[String(parts[0])] = String(parts[1])
    }
    if line.contains("$(") {
      let loop = try place.shell("for word in \(line); do echo \"$word\"; done")
      words = loop.output.split(separator: "\n").map(String.init)
    }
    var run = try place.run(Array(words.dropFirst()), input: input, environment: variables)
    Self.check(run, words, location)
    // At the end of the output, which may be long.
    if let token = run.outputAsIs.suffix(500).firstMatch(of: Self.token)?.output.1 {
      next = String(token)
    }
    if !rest.isEmpty {
      let second = try place.shell("cat \(rest)", input: run.outputAsIs)
      #expect(second.errorOutput.isEmpty, "\(line)", sourceLocation: location)
      run.outputAsIs = second.outputAsIs
    }
    return run
  }

  /// Checks what is true of every run, whatever the file says.
  private static func check(_ run: Invocation, _ words: [String], _ location: SourceLocation) {
    let context = Comment(rawValue: "\(words): \(run.errorOutput)")
    #expect(run.exitCode != 70, context, sourceLocation: location)
    // A question mark is not followed by a semicolon.
    #expect(!run.errorOutput.contains("?;"), context, sourceLocation: location)
    if run.exitCode == 0 {
      #expect(
        run.errorLines.allSatisfy { $0.hasPrefix("layoutcache: warning: ") }, context,
        sourceLocation: location)
      return
    }
    let opening = words.contains("--json") ? #"{"error":{"code":""# : "layoutcache: "
    #expect(run.errorLines.count == 1, context, sourceLocation: location)
    #expect(run.errorOutput.hasPrefix(opening), context, sourceLocation: location)
    // Checks print what they find.
    if run.exitCode != 1 && words.dropFirst().first != "open" {
      #expect(run.output.isEmpty, context, sourceLocation: location)
    }
  }

  // MARK: - Lines

  /// Returns the line with each of the alternatives in braces.
  private static func alternatives(_ line: String) -> [String] {
    guard let choice = line.firstMatch(of: /\{([^{}"']*\|[^{}"']*)\}/) else { return [line] }
    return choice.output.1.split(separator: "|", omittingEmptySubsequences: false).flatMap {
      alternatives(line.replacingCharacters(in: choice.range, with: $0))
    }
  }

  /// Returns the words of a line up to an operator outside of quotes, and the rest from there.
  private static func words(of line: String) -> (words: [String], rest: Substring) {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.first, quote != nil || !"|>".contains(character) {
      rest.removeFirst()
      if character == quote {
        quote = nil
      } else if quote == nil, character == " " {
        if let word { words.append(word) }
        word = nil
      } else {
        word = word ?? ""
        if quote == nil, "'\"".contains(character) {
          quote = character
        } else {
          word?.append(character)
        }
      }
    }
    return (words + (word.map { [$0] } ?? []), rest)
  }

  private static func decoded(_ text: String) -> String {
    text.replacing(/\\u\{([0-9A-F]+)\}/) { match in
      UInt32(match.output.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? "?"
    }
  }

  private func lines(of run: Invocation) -> [String] {
    var lines = steady(run.outputAsIs).split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        let begins = line.first.map { "#$<?\\".contains($0) } ?? true
        return (begins ? "\\" : "") + Self.encoded(line)
      }
    // The last one follows the last line break.
    if lines.last == "\\" { lines.removeLast() } else { lines.append("\\c") }
    let errors = steady(run.errorOutput).split(separator: "\n").map(Self.encoded)
    if run.exitCode != 0 || !errors.isEmpty {
      lines.append("? \(run.exitCode)\(errors.first.map { " \($0)" } ?? "")")
      lines += errors.dropFirst().map { "?   \($0)" }
    }
    return lines
  }

  private static func encoded(_ line: some StringProtocol) -> String {
    line.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  // A `Regex` is not Sendable; it is only read.
  nonisolated(unsafe) private static let token = /(?:--after |"next":")([0-9A-Za-z._-]{12,})/

  /// Replaces what differs between runs.
  private func steady(_ text: String) -> String {
    (next.isEmpty ? text : text.replacing(next, with: "$NEXT"))
      .replacing(/"incarnation":"[0-9a-f-]+"/, with: #""incarnation":"…""#)
      .replacing(Self.token) { $0.output.0.replacing($0.output.1, with: "…") }
      .replacing(/\d+(\.\d+)? (ms|us|s)\b/) { "N \($0.output.2)" }
      .replacing(/(copied|returned) \d+ bytes/) { "\($0.output.1) N bytes" }
      .replacing(/"(\w*[mM]icroseconds|secondsSince\w+)":[\d.]+/) { "\"\($0.output.1)\":N" }
      .replacing(/"(\w*[bB]ytes|nodes|changedNodes)":[1-9]\d*/) { "\"\($0.output.1)\":N" }
  }
}
