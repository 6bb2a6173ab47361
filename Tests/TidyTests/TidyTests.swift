import Foundation
import Migrations
import Testing

// Mechanical rules of the code base, checked by tests.

@Suite struct TidyTests {
  /// The modules, of the project and external, that each module may import. An import missing
  /// here reverses a dependency or skips a layer.
  static let arrows: [String: Set<String>] = [
    // Sines and cosines, which the standard library lacks.
    "LayoutGeometry": ["Glibc", "Musl", "Darwin", "CoreGraphics"],
    "SumTree": ["Synchronization"],
    "JSONText": ["LayoutGeometry"],
    "Threads": ["Synchronization", "Dispatch", "Glibc", "Musl", "Darwin"],
    // The plans of styled sections with an override are created when they are first needed.
    "CollectionLayout": ["LayoutGeometry", "JSONText", "Synchronization"],
    "LayoutStore": [
      "LayoutGeometry", "SumTree", "Migrations", "LayoutCacheSQLite", "Synchronization",
      "Dispatch", "Glibc", "Musl", "Darwin",
    ],
    "LayoutCache": [
      "LayoutGeometry", "CollectionLayout", "SumTree", "LayoutStore", "JSONText", "Threads",
      "Logging", "Synchronization", "Dispatch", "FoundationEssentials", "Foundation", "Glibc",
      "Musl", "Darwin",
    ],
    "TextFormats": ["LayoutCache", "LayoutGeometry", "JSONText", "LayoutCacheZlib"],
    "LayoutReplication": ["LayoutCache", "LayoutGeometry", "LayoutStore", "SumTree"],
    "LayoutCluster": [
      "LayoutReplication", "LayoutCache", "LayoutGeometry", "Threads", "Logging", "Synchronization",
      "Dispatch",
    ],
    "PostgresLog": [
      "LayoutCluster", "LayoutReplication", "LayoutCache", "LayoutCacheLibpq", "Synchronization",
      "Dispatch", "Glibc",
      "Musl", "Darwin",
    ],
    "LayoutCacheService": [
      "LayoutCache", "LayoutCluster", "LayoutGeometry", "CollectionLayout", "TextFormats",
      "JSONText",
      "Threads", "LayoutCacheZlib", "ServicePage", "Hummingbird", "HummingbirdCore", "HTTPTypes",
      "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "AsyncAlgorithms",
      "Dispatch", "ServiceLifecycle", "Logging", "Synchronization",
      "FoundationEssentials", "Foundation", "Glibc", "Musl", "Darwin",
    ],
    "LayoutCacheCommand": [
      "LayoutCache", "LayoutGeometry", "CollectionLayout", "TextFormats", "DemoSample",
      "BuildStamp", "LayoutCacheService", "LayoutCluster", "PostgresLog",
      "ServiceLifecycle", "UnixSignals", "ArgumentParser",
      "Logging", "Dispatch", "Synchronization", "FoundationEssentials", "Foundation", "Glibc",
      "Musl", "Darwin",
    ],
  ]

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The project's Swift files below a folder, with their texts.
  static func files(_ folder: String) throws -> [(path: String, text: String)] {
    let base = root.appending(path: folder)
    guard let all = FileManager.default.enumerator(atPath: base.path) else { return [] }
    // Skips build products; the steps of a tutorial are text.
    let paths = all.compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") && !$0.contains(".docc/") }
    return try paths.sorted().map {
      ("\(folder)/\($0)", try String(contentsOf: base.appending(path: $0), encoding: .utf8))
    }
  }

  static func imports(of text: String) -> Set<String> {
    var modules: Set<String> = []
    for line in text.split(separator: "\n") {
      // Attributes, such as `@testable`, precede the import and its access level.
      let words = Array(line.split(separator: " ").drop { $0.hasPrefix("@") })
      let isImport = words.first == "import" || ["public", "package"].contains(words.first)
      guard isImport, let at = words.firstIndex(of: "import"), at < 2, at + 1 < words.count
      else {
        continue
      }
      modules.insert(String(words[at + 1]))
    }
    return modules
  }

  @Test(arguments: arrows.keys.sorted())
  func aModuleImportsOnlyItsAllowedDependencies(module: String) throws {
    let files = try Self.files("Sources/\(module)")
    #expect(!files.isEmpty)
    for file in files {
      let turned = Self.imports(of: file.text).subtracting(Self.arrows[module] ?? [])
      #expect(turned.isEmpty, "\(file.path) imports \(turned.sorted())")
    }
  }

  /// The full Foundation loads localization tables into every process that links it.
  @Test(arguments: arrows.keys.sorted())
  func foundationIsImportedOnlyAsAFallbackForEssentials(module: String) throws {
    for file in try Self.files("Sources/\(module)")
    where Self.imports(of: file.text).contains("Foundation") {
      #expect(file.text.contains("#if canImport(FoundationEssentials)\n"), "\(file.path)")
    }
  }

  /// `LAYOUTCACHE_CORE` builds the command without its folder `Serve`, and without the targets and
  /// packages of the service.
  @Test func onlyTheFolderOfTheServiceImportsIt() throws {
    let service: Set = [
      "LayoutCacheService", "LayoutCluster", "PostgresLog", "ServiceLifecycle", "UnixSignals",
    ]
    for file in try Self.files("Sources/LayoutCacheCommand")
    where !file.path.contains("/Serve/") && !file.path.contains("/Cluster/") {
      let turned = Self.imports(of: file.text).intersection(service)
      #expect(turned.isEmpty, "\(file.path) imports \(turned.sorted())")
    }
  }

  /// Benchmarks measure the product that users get, and nothing inside it.
  @Test func benchmarksImportOnlyTheLibrary() throws {
    let inside = Set(Self.arrows.keys).subtracting([
      "LayoutCache", "CollectionLayout", "LayoutGeometry",
    ])
    let files = try Self.files("Benchmarks/Sources")
    #expect(!files.isEmpty)
    for file in files {
      let turned = Self.imports(of: file.text).intersection(inside)
      #expect(turned.isEmpty, "\(file.path) imports \(turned.sorted())")
    }
  }

  @Test func everySourceFolderHasAListOfAllowedImports() throws {
    // Data in C files, and names of the system's libraries.
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "Sources").path)
    #expect(
      Set(folders)
        == Set(Self.arrows.keys).union([
          "DemoSample", "BuildStamp", "ServicePage", "LayoutCacheSQLite", "LayoutCacheZlib",
          "LayoutCacheLibpq",
        ]))
  }

  @Test func onlyTheCommandPrintsReadsTheEnvironmentAndExits() throws {
    let forbidden = ["print(", "debugPrint(", "ProcessInfo", "getenv(", "exit(", "homeDirectory"]
    for module in Self.arrows.keys where module != "LayoutCacheCommand" {
      for file in try Self.files("Sources/\(module)") {
        for word in forbidden {
          #expect(!file.text.contains(word), "\(file.path) contains \(word)")
        }
      }
    }
  }

  @Test func onlyTheTwoStoresContainSQL() throws {
    for module in Self.arrows.keys where !["LayoutStore", "PostgresLog"].contains(module) {
      for file in try Self.files("Sources/\(module)") {
        for word in ["SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA "] {
          #expect(!file.text.contains(word), "\(file.path) contains \(word)")
        }
      }
    }
  }

  /// Closing any descriptor of a database's file releases SQLite's locks on it, and only SQLite
  /// knows which log belongs to a file.
  @Test func onlyNamedFilesOfTheEngineOpenOrDeleteFiles() throws {
    let permitted = ["FileLock", "PartialFile", "Store+Restore", "LayoutCache+Temporary"]
    let calls = try Regex(
      #"\bopen(at)?\(.*O_|fopen\(|creat\(|unlink(at)?\(|FileManager|FileHandle"#
        + #"|Data\(contentsOf|removeItem\("#)
    for file in try ["Sources/LayoutStore", "Sources/LayoutCache"].flatMap(Self.files)
    where !permitted.contains(where: { file.path.hasSuffix("/\($0).swift") }) {
      let found = file.text.firstMatch(of: calls).map { String(file.text[$0.range]) }
      #expect(found == nil, "\(file.path)")
    }
  }

  @Test func sourcesContainNoToDoMarkers() throws {
    let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    for file in try ["Sources", "Tests", "Benchmarks/Sources"].flatMap(Self.files) {
      for word in words { #expect(!file.text.contains(word), "\(file.path) contains \(word)") }
    }
  }

  @Test func filesStayWithinTheLineLimit() throws {
    for file in try ["Sources", "Benchmarks/Sources"].flatMap(Self.files) {
      let lines = file.text.split(separator: "\n").count
      #expect(lines <= 600, "\(file.path) has \(lines) lines")
    }
  }

  @Test func embeddedPageFilesMatchTheFolders() throws {
    let root = Self.root.appending(path: "Sources/ServicePage")
    let source = try String(contentsOf: root.appending(path: "page.c"), encoding: .utf8)
    for folder in ["Client", "Inspector"] {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: root.appending(path: folder).path)
      for name in names {
        #expect(source.contains("#embed \"\(folder)/\(name)\""), "\(name) is not embedded")
        #expect(source.contains("FILE(\"\(name)\","), "\(name) is not served")
        let text = try String(
          contentsOf: root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 400, "\(name) has \(lines.count) lines")
        for line in lines { #expect(line.count <= 120, "\(name): \(line)") }
      }
    }
  }

  @Test func listedMigrationsMatchTheFolder() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "migrations").path
    ).filter { $0.hasSuffix(".sql") }.sorted()
    #expect(Migration.all.map { "\($0.name).sql" } == files)
    let numbers = Migration.all.map(\.number)
    #expect(numbers == Set(numbers).sorted())
    for migration in Migration.all {
      let file = Self.root.appending(path: "migrations/\(migration.name).sql")
      let sql = try String(contentsOf: file, encoding: .utf8)
      #expect(migration.name.hasPrefix(String(format: "M%04d_", migration.number)))
      #expect(migration.sql == sql)
    }
  }

  /// Comparisons of names and keys as `String`, which unites canonical equivalents, and
  /// collections of them.
  private static var comparison: Regex<Substring> {
    let pattern =
      #/
      (?:\b(?:name|key|sectionKey|style|configuration)|\$0\.layout)\)?[?!]?\s[=!]=\s(?!nil|[.]|"|[0-9])
      | [=!]=\s(?!\.)[\w.$]*\b(?:name|key|sectionKey|style|configuration)\b(?![.\(\w])
      | \[String:\s(?!ConfigurationValue) | Set<String>
    /#
    // A point separates words.
    return pattern.wordBoundaryKind(.simple)
  }
  /// Parts of lines that compare something else: numbers, typed keys, and the names of code.
  private static let otherComparisons = [
    "ExactKey", "isExactly", "///", "$0.item == index && $0.layout == layout",
    "contains { $0.layout == layout }", "leaf.label",
    "position(of: head.name)", "$0.key == key", "kind.member", "Self.builtIn", "Migration.all[0]",
    "id.name", "page.name == own.name", "decorationElements", "kinds: [String: Kind]",
    "files = Mutex<[String: [FileIdentity]]>", "statements: [String: OpaquePointer]",
    "failingUpkeep", "allowedOrigins", "allowedHosts", "path: [String: String]",
    "files: [String: StaticFile]",
  ]

  private static func comparesText(
    _ line: some StringProtocol, _ comparison: Regex<Substring>
  ) -> Bool {
    String(line).contains(comparison) && !otherComparisons.contains { line.contains($0) }
  }

  @Test(arguments: [
    "CollectionLayout", "LayoutStore", "LayoutCache", "LayoutReplication", "LayoutCluster",
    "LayoutCacheService",
  ])
  func namesAndKeysAreComparedByBytes(module: String) throws {
    let comparison = Self.comparison
    for file in try Self.files("Sources/\(module)") {
      for line in file.text.split(separator: "\n") where Self.comparesText(line, comparison) {
        Issue.record("\(file.path): \(line); use ExactKey or isExactly")
      }
    }
    for line in ["row.name == name", "$0.layout != other", "var a: [String: Int]", "a == b.key"] {
      #expect(Self.comparesText(line, comparison))
    }
  }

  @Test func theImportCheckDetectsViolations() {
    let text = """
      import SumTree
      public import Logging
      @_exported public import LayoutStore
      // import nothing
      let important = 1

      """
    #expect(Self.imports(of: text) == ["SumTree", "Logging", "LayoutStore"])
  }
}
