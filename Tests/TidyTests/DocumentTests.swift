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
      let all = FileManager.default.enumerator(
        atPath: TidyTests.root.appending(path: folder).path)
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
