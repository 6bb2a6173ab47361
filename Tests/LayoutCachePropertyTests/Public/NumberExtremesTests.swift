import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: a table of every public call that takes numbers. Each call is made with ordinary
// numbers, then with each extreme as each number, with pairs of extremes, and with extremes as all
// numbers, on each kind of section in each direction, with each effect, on a feed and on an empty
// dataset, and finally on a closed cache. Each pair is tested on a quarter of the kinds, because
// most code that reads numbers does not depend on the kind. A trap ends the process, so a child
// process makes the calls, and writes each call before it makes it. `LAYOUTCACHE_STEPS` is the
// number of random calls for each call of the table and each layout.
//
// Invariants: no call traps or hangs; each returns, or throws an error of the caller. Afterwards
// the database is valid, and each layout equals one from scratch.

@Suite struct NumberExtremesTests {
  @Test(arguments: ExtremePlace.kinds.indices, PropertyRun.seeds.suffix(1))
  func noNumberEndsTheProcess(kind: Int, seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    let steps = PropertyRun.steps(2)
    let name = ExtremePlace.kinds[kind].name
    await #expect(processExitsWith: .success, "\(name), seed \(seed)") {
      [log = log as String, kind = kind as Int, seed = seed as UInt64, steps = steps as Int] in
      try await ExtremeRun(log: log, seed: seed, steps: steps).run(kind)
    }
    let lines = try String(contentsOfFile: log, encoding: .utf8)
      .split(separator: "\n").filter { !$0.isEmpty }
    for line in lines.filter({ $0.hasPrefix("failed") }).prefix(20) {
      Issue.record("\(name), seed \(seed): \(line)")
    }
    if lines.last != "done" {
      Issue.record("\(name), seed \(seed): the process has ended at \(lines.last ?? "its begin")")
    }
  }

  /// A rectangle far larger than the content has the same elements as one around the content.
  /// `rotary` is bounded to a part of the content, as `VisibleEffect` documents.
  @Test(arguments: ExtremePlace.kinds)
  func aRectangleOfAnySizeReturnsTheElementsInIt(kind: KindExample) throws {
    let directory = try TemporaryDirectory()
    for (number, place) in try ExtremePlace.all(kind, in: directory).enumerated()
    where place.hasItems && number.isMultiple(of: 3) && !place.description.contains("rotary") {
      let snapshot = place.snapshot
      let visible = Rect(x: 0, y: 0, width: 200, height: 150)
      let far: Length = 4_000_000
      let everywhere = Rect(x: -far, y: -far, width: far * 2, height: far * 2)
      let all = try snapshot.elements(in: everywhere, visible: visible).elements
      #expect(all.count > 14)
      for x in ExtremeNumbers.lengths {
        for width in ExtremeNumbers.lengths {
          let rects = [
            Rect(x: Length(units: x), y: -far, width: Length(units: width), height: far * 2),
            Rect(x: -far, y: Length(units: x), width: far * 2, height: Length(units: width)),
          ]
          for (index, rect) in rects.enumerated() {
            let found = try snapshot.elements(in: rect, visible: visible).elements
            let expected = all.filter { element in
              let frame = index == 0 ? element.frame : element.frame.transposed
              // In numbers that do not overflow.
              let end = Int128(x) + Int128(width)
              return width > 0 && frame.size.width > .zero && frame.size.height > .zero
                && Int128(frame.minX.units) < end && x < frame.maxX.units
            }
            // Thousands of answers, too long for a message.
            if found != expected { Issue.record("\(place): \(rect)") }
          }
        }
      }
    }
  }

  /// The table has every public call that takes a number, or a value with a number.
  @Test func theTableHasEveryCallThatTakesNumbers() throws {
    let declared = try PublicCalls.takingNumbers()
    let listed = Set(ExtremeCall.all.flatMap(\.names))
    #expect(declared.count > 60)
    #expect(declared.subtracting(listed).sorted() == [], "these calls are to be added")
    #expect(listed.subtracting(declared).sorted() == [], "there are no such calls")
  }

  @Test func theListOfCallsIsReadFromDeclarations() {
    let source = """
      extension LayoutCache {
        /// A call: public func none(_ number: Int)
        public func log(
          of dataset: String, limit: Int = 20, before revision: Int? = nil
        ) throws -> [LogEntry] {
        public func names(_ body: (_ count: Int) -> Void, of name: String) -> Int {
        func own(_ number: Int) {}
        public struct Mark {
          public init(at path: LayoutAttributes.IndexPath, _ name: String) {}
        }
        public nonisolated(nonsending) func wait<R>(for seconds: Double) async -> R {}
      }
      public struct LayoutCacheOptions: Hashable {
        public var busyTimeout = 5.0
        public var createsFile = true
        public var count: Int? = 3
      }
      """
    #expect(
      PublicCalls.takingNumbers(in: source) == [
        "LayoutCache.log(of:limit:before:)", "LayoutCache.Mark.init(at:_:)",
        "LayoutCache.wait(for:)", "LayoutCacheOptions.busyTimeout", "LayoutCacheOptions.count",
      ])
  }
}

/// The child process's part of the test.
private struct ExtremeRun {
  let descriptor: Int32
  let steps: Int
  let seed: UInt64

  /// The timeout of the calls on one layout, in seconds.
  private static let secondsMax: UInt32 = 240

  init(log: String, seed: UInt64, steps: Int) {
    descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    precondition(descriptor >= 0, "\(log) can't be made")
    self.seed = seed
    self.steps = steps
  }

  private func record(_ line: String) {
    let line = Array((line.replacing("\n", with: " ") + "\n").utf8)
    precondition(write(descriptor, line, line.count) == line.count)
  }

  func run(_ kind: Int) async throws {
    var generator = SeededGenerator(seed: seed &+ UInt64(kind) &* 1_000_003)
    let directory = try TemporaryDirectory()
    let places = try ExtremePlace.all(ExtremePlace.kinds[kind], in: directory)
    for (number, place) in places.enumerated() {
      alarm(Self.secondsMax)
      record("place \(place)")
      for (index, call) in ExtremeCall.all.enumerated() {
        // Each call gets all combinations on one layout, which differs between kinds.
        await run(
          index, call, place, kind, isThorough: (index + kind) % places.count == number,
          using: &generator)
      }
      let problems = try place.cache.verify().problems
      if !problems.isEmpty { record("failed: \(problems) of \(place)") }
      try place.cache.close()
      for (index, call) in ExtremeCall.all.enumerated() {
        await attempt(index, call, [:], place)
      }
    }
    record("done")
  }

  private func run(
    _ index: Int, _ call: ExtremeCall, _ place: ExtremePlace, _ kind: Int, isThorough: Bool,
    using generator: inout SeededGenerator
  ) async {
    let forms = await attempt(index, call, [:], place)
    func extreme(_ number: Int) -> Int {
      Int.random(in: 0..<ExtremeNumbers.count(forms[number]), using: &generator)
    }
    if isThorough {
      for one in forms.indices {
        for value in 0..<ExtremeNumbers.count(forms[one]) {
          await attempt(index, call, [one: value], place)
          guard forms.count <= 3 else { continue }
          for other in (one + 1)..<max(one + 1, forms.count) {
            for second in 0..<ExtremeNumbers.count(forms[other])
            where (kind + value + second) % 4 == 0 {
              await attempt(index, call, [one: value, other: second], place)
            }
          }
        }
      }
    }
    guard !forms.isEmpty else { return }
    for step in 0..<steps * (isThorough ? 10 : 1) {
      var chosen: [Int: Int] = [:]
      let count = step % 4 == 3 ? forms.count : min(2, forms.count)
      for number in forms.indices.shuffled(using: &generator).prefix(count) {
        chosen[number] = extreme(number)
      }
      await attempt(index, call, chosen, place)
    }
  }

  /// - Returns: The forms of the numbers that the call used.
  @discardableResult
  private func attempt(
    _ index: Int, _ call: ExtremeCall, _ chosen: [Int: Int], _ place: ExtremePlace
  ) async -> [ExtremeNumbers.Form] {
    let numbers = ExtremeNumbers()
    numbers.begin(chosen)
    let name = call.names.first ?? "change \(index)"
    record("\(name) \(chosen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
    do {
      try await call.run(place, numbers)
    } catch let error as LayoutCacheError where error.blamesTheCaller {
    } catch is LimitError {
    } catch {
      record(
        """
        failed: \(name) where \(ExtremeNumbers.text(chosen, numbers.forms)): \(error); \(place)
        """)
    }
    return numbers.forms
  }
}

extension LayoutCacheError {
  /// Whether an error is caused neither by the file nor by a bug of the library.
  fileprivate var blamesTheCaller: Bool {
    switch category {
    case .usage, .conflict, .input, .notFound: true
    default: false
    }
  }
}

// MARK: - Configurations as texts

@Suite struct NumberConfigurationTests {
  static let texts = [
    "0", "-0", "-1", "0.5", "0.015624", "1", "256", "257", "1000000", "1000000.02", "2147483648",
    "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551616", "1e308", "-1e308", "1e400", "-1e400", "1e-320", "1e-400",
    "1e99999999999999999999", String(repeating: "9", count: 10_000), "NaN", "null", "true",
    #""9223372036854775808""#, "[]", "{}",
  ]

  /// Members that are objects, with their members.
  private static let objects = [
    "itemSize": ["width", "height"], "inset": ["top", "left", "bottom", "right"],
    "background": ["zIndex", "inset"], "options": ["extra"], "itemWidth": ["fraction", "peek"],
  ]

  /// Configurations around a section: `?` is replaced by a number, `$` by the section.
  private static let frames = [
    #"{"container":{"width":?,"height":300},"section":$}"#,
    #"{"container":{"width":200,"height":?},"section":$}"#,
    #"{"container":{"width":?,"height":?},"scrollDirection":"horizontal","section":$}"#,
    #"{"container":{"width":200},"sectionSpacing":?,"section":$}"#,
    #"{"container":{"width":200},"effect":{"kind":"scale","maximumScale":?},"section":$}"#,
    #"{"container":{"width":200},"effect":{"kind":"rotary","maximumAngle":?},"section":$}"#,
    #"{"container":{"width":200},"sections":{"a":{"header":?}},"section":$}"#,
    #"{"container":?,"section":$}"#, #"{"container":{"width":200},"snap":?,"section":$}"#,
    #"{"container":{"width":200},"sections":?,"effect":?,"section":$}"#,
  ]

  /// The configurations of a kind: each member of a section and of the configuration around it, with
  /// each text, in the section and in an override.
  private static func configurations(_ kind: KindExample) -> [String] {
    var texts: [String] = []
    for member in SectionMember.all where member.name != "kind" {
      let values =
        ["?"]
        + (objects[member.name] ?? []).map { own in
          let rest = (objects[member.name] ?? []).filter { $0 != own && member.name != "options" }
            .map { #","\#($0)":\#($0 == "inset" ? "{}" : "5")"# }.joined()
          let kind = member.name == "background" ? #","kind":"card""# : ""
          return "{\"\(own)\":?\(rest)\(kind)}"
        }
      // A duplicate member would be rejected before its value is read.
      let others = kind.members.replacing(
        try! Regex(#","\#(member.name)":(\{[^}]*\}|[^,{]*)"#), with: "")
      for value in values {
        let stated = #","\#(member.name)":\#(value)"#
        texts.append(#"{"container":{"width":200,"height":150},"section":{\#(others)\#(stated)}}"#)
        texts.append(
          """
          {"container":{"width":200,"height":150},"section":{\(others)},\
          "sections":{"a":{\(stated.dropFirst())}}}
          """)
      }
    }
    texts += frames.map { $0.replacing("$", with: "{\(kind.members)}") }
    return texts
  }

  @Test(arguments: ExtremePlace.kinds.indices)
  func noNumberOfAConfigurationEndsTheProcess(kind: Int) async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    try "".write(toFile: log, atomically: true, encoding: .utf8)
    await #expect(processExitsWith: .success) { [log = log as String, kind = kind as Int] in
      let file = try #require(FileHandle(forWritingAtPath: log))
      let kind = ExtremePlace.kinds[kind]
      let directory = try TemporaryDirectory()
      let place = try #require(try ExtremePlace.all(kind, in: directory).first { $0.hasItems })
      let layout = LayoutID("tried", of: place.layout.dataset)
      var acceptedCount = 0
      for configuration in NumberConfigurationTests.configurations(kind) {
        for text in NumberConfigurationTests.texts {
          file.write(Data("\(configuration) with \(text.prefix(40))\n".utf8))
          alarm(30)
          do {
            try place.cache.setLayout(
              layout,
              to: ConfigurationText.decode(configuration.replacing("?", with: text)))
            try ExtremeCall.query(layout, place)
            acceptedCount += 1
          } catch is ConfigurationError {
          } catch let error as LayoutCacheError where error.category == .input {
          } catch {
            file.write(Data("failed: \(error)\n".utf8))
          }
        }
      }
      if acceptedCount < 100 { file.write(Data("failed: \(acceptedCount) accepted\n".utf8)) }
      if try !place.cache.verify().problems.isEmpty { file.write(Data("failed: verify\n".utf8)) }
      file.write(Data("done\n".utf8))
    }
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    for (index, line) in lines.enumerated() where line.hasPrefix("failed") {
      Issue.record("\(ExtremePlace.kinds[kind].name), \(lines[max(0, index - 1)]): \(line)")
    }
    if lines.last != "done" { Issue.record("the process has ended at \(lines.suffix(1))") }
  }
}
