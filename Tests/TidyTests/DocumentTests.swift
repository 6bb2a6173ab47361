import Foundation
import Testing

/// The tests, targets and files that the documents name exist.
@Suite struct DocumentTests {
  private static let documents: [(path: String, text: String)] = {
    let root = TidyTests.root
    let pages = ["docs", "docs/design", "clients/python", "."].flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: folder).path)) ?? []).sorted()
        .filter { $0.hasSuffix(".md") }.map { folder == "." ? $0 : "\(folder)/\($0)" }
    }
    return pages.compactMap { page in
      (try? String(contentsOf: root.appending(path: page), encoding: .utf8)).map { (page, $0) }
    }
  }()

  /// Every test as `TARGET.SUITE/FUNCTION()`, which `swift test --filter` matches.
  private static func tests() throws -> [String] {
    try TidyTests.files("Tests").flatMap { file -> [String] in
      let target = file.path.split(separator: "/")[1]
      let suites = file.text.matches(
        of: /(?m)^(?:@Suite[^\n]* )?(?:struct|extension|enum|final class) (\w+)/)
      let functions = file.text.matches(of: /@Test[\s\S]*?func (\w+|`[^`]+`)/)
      return suites.flatMap { suite in functions.map { "\(target).\(suite.1)/\($0.1)()" } }
    }
  }

  /// The filters of tests that a text names, each an expression.
  static func filters(in text: String) -> [String] {
    text.matches(of: /--filter (?:"([^"]+)"|([\w\/|.]+))/).flatMap { match in
      String(match.1 ?? match.2 ?? "").replacing("\\|", with: "|").split(separator: "|")
        .map(String.init)
    }
  }

  /// The files and folders of the project that a text names in backticks.
  static func paths(in text: String) -> [String] {
    let folders =
      #/`((?:Sources|Tests|Scripts|Benchmarks|clients|docs|packaging|migrations)/[\w+./-]*)`/#
    return text.matches(of: folders).map { String($0.1) }
  }

  /// The names of targets and suites of tests that a text names in backticks, and of tests, as
  /// `SUITE/FUNCTION`.
  static func suites(in text: String) -> [String] {
    text.matches(of: /`([A-Z]\w*Tests(?:\/\w+)?)`/).map { String($0.1) }
  }

  /// The tests in Python that a text names in backticks, as `FILE.CLASS.FUNCTION`, and their files.
  static func scripts(in text: String) -> [[String]] {
    text.matches(of: /`(test_\w+(?:\.\w+\.test_\w+)?)`/).map {
      $0.1.split(separator: ".").map(String.init)
    }
  }

  @Test func namedTestsExist() throws {
    let tests = try Self.tests()
    var count = 0
    for (page, text) in Self.documents {
      for filter in Self.filters(in: text) {
        let expression = try Regex(filter)
        #expect(tests.contains { $0.contains(expression) }, "\(page): --filter \(filter)")
        count += 1
      }
      for suite in Self.suites(in: text) {
        let isFolder = FileManager.default.fileExists(
          atPath: TidyTests.root.appending(path: "Tests/\(suite)").path)
        let name = suite.contains("/") ? ".\(suite)()" : ".\(suite)/"
        #expect(isFolder || tests.contains { $0.contains(name) }, "\(page): \(suite)")
        count += 1
      }
      for test in Self.scripts(in: text) {
        let name = test.joined(separator: ".")
        let texts = try ["ServiceTests", "PythonClientTests"].compactMap { folder in
          let file = TidyTests.root.appending(path: "Tests/\(folder)/\(test[0]).py")
          let exists = FileManager.default.fileExists(atPath: file.path)
          return exists ? try String(contentsOf: file, encoding: .utf8) : nil
        }
        let isFound = texts.contains { text in
          test.count == 1
            || text.contains("class \(test[1])(") && text.contains("def \(test[2])(")
        }
        #expect(isFound, "\(page): \(name)")
        count += 1
      }
    }
    #expect(count > 20)
  }

  @Test func namedFilesExist() throws {
    var names: Set<String> = []
    for folder in ["Sources", "Tests", "Benchmarks", "Scripts", "migrations"] {
      let all = FileManager.default.enumerator(atPath: TidyTests.root.appending(path: folder).path)
      for case let path as String in all ?? .init() {
        names.insert(path.split(separator: "/").last.map(String.init) ?? path)
      }
    }
    for (page, text) in Self.documents {
      for path in Self.paths(in: text) {
        let file = TidyTests.root.appending(path: path).path
        #expect(FileManager.default.fileExists(atPath: file), "\(page): \(path)")
      }
      for match in text.matches(of: /`([\w+-]+\.swift)`/) where page != "docs/UPGRADING.md" {
        #expect(names.contains(String(match.1)), "\(page): \(match.1)")
      }
    }
  }

  /// The names in a piece of code of the table for users of UICollectionView that are unknown:
  /// symbols of Swift as `docs/api.txt` lists them, or members and choices of the description of
  /// the service.
  private static func unknownNames(in code: String, api: [String], service: String) -> [String] {
    if code.contains(/^[A-Z]\w*(\.\w+(\([\w:]*\))?)?$/) { return api.contains(code) ? [] : [code] }
    if code.contains(/^\w+$|^[{"]/) {
      let members = code.matches(of: /"(\w+)":/).map { String($0.1) }
      return (members.isEmpty ? [code] : members).filter { !service.contains("\"\($0)\"") }
    }
    var (names, labels): (Set<Substring>, Set<Substring>) = ([], [])
    for symbol in api {
      let parts = symbol.split(separator: "(")
      if let name = parts[0].split(separator: ".").last { names.insert(name) }
      for part in parts.dropFirst() { labels.formUnion(part.split(separator: ":")) }
    }
    let members: [Substring] = code.matches(of: /\.([a-z]\w*)/).map(\.1)
    let stated: [Substring] = code.matches(of: #/(\w+): /#).map(\.1)
    return (members.filter { !names.contains($0) } + stated.filter { !labels.contains($0) })
      .map(String.init)
  }

  @Test func counterpartsOfUICollectionViewExist() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: TidyTests.root.appending(path: path), encoding: .utf8)
    }
    let api = try text("docs/api.txt").split(separator: "\n").map {
      String($0.split(separator: " ")[1])
    }
    let service = try text("Sources/ServicePage/openapi.json")
    let page = try text("docs/LAYOUTS.md")
    let rows = try #require(page.split(separator: "## Coming from UICollectionView").last)
      .prefix { $0 != "#" }.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
    #expect(rows.count == 40)
    for row in rows {
      let cells = row.split(separator: " | ")
      #expect(cells.count == 3, "\(row)")
      for code in cells.dropFirst().flatMap({ $0.matches(of: /`([^`]+)`/) }).map(\.1) {
        let unknown = Self.unknownNames(in: String(code), api: api, service: service)
        #expect(unknown.isEmpty, "\(code)")
      }
    }
    for code in [
      "LayoutSnapshot.noSuch", "snapshot.noSuch(in: x)", "snapshot.elements(noSuch: x)", "noSuch",
      #""noSuch":1"#,
    ] {
      #expect(!Self.unknownNames(in: code, api: api, service: service).isEmpty, "\(code)")
    }
    // Every member at the top level of a configuration, and every kind.
    let members = try #require(
      service.firstMatch(of: /"GivenConfiguration": \{[\s\S]*?\n      \},/)?.output)
    let top = members.matches(of: /\n {10}"(\w+)":/).map(\.1)
    #expect(top.count > 12)
    for member in top {
      #expect(page.contains("`\(member)`") || page.contains("\"\(member)\""), "\(member)")
    }
    let concepts = try text("docs/CONCEPTS.md")
    let kinds = try #require(page.firstMatch(of: /the placement rule: (.*) \|/)?.1)
    for kind in kinds.matches(of: /`\w+`/) { #expect(concepts.contains(kind.output)) }
  }

  @Test func theCheckDetectsFalseNames() throws {
    let text =
      #"`swift test --filter "AnyTests\|OtherTests"`, `Tests/None/`, `NoTests`, `OneTests/two`, "#
      + "`test_a.B.test_c`, `test_d`"
    #expect(Self.filters(in: text) == ["AnyTests", "OtherTests"])
    #expect(Self.paths(in: text) == ["Tests/None/"])
    #expect(Self.suites(in: text) == ["NoTests", "OneTests/two"])
    #expect(Self.scripts(in: text) == [["test_a", "B", "test_c"], ["test_d"]])
    #expect(try !Self.tests().contains { $0.contains("SimulationTests/nodesThatKeepTheRules") })
  }
}
