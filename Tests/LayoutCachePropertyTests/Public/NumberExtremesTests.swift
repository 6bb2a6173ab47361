import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: a table of every public call that takes numbers. Each call is made with ordinary
// numbers, then with each extreme as each number, and with random extremes as some numbers and as
// all, on each kind of section in each direction, with each effect, on a feed and on an empty
// dataset, and finally on a closed cache. Only a thorough run has each effect in each direction,
// each extreme on each kind, and pairs of extremes: most code that reads numbers does not depend on
// the kind. A trap ends the process, so one child process makes all calls, and writes each call
// before it makes it. `LAYOUTCACHE_STEPS` is the number of random calls for each call of the table
// and each layout.
//
// Invariants: no call traps or hangs; each returns, or throws an error of the caller. Afterwards
// the database is valid, and each layout equals one from scratch.

@Suite struct NumberExtremesTests {
  @Test(arguments: PropertyRun.seeds.suffix(1))
  func noNumberEndsTheProcess(seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    let steps = PropertyRun.steps(2)
    let isThorough = PropertyRun.isThorough
    // A thorough run takes every second kind: with others it would be a quarter of `make test-all`.
    let part = PropertyRun.changingSeed % 2
    await #expect(processExitsWith: .success, "seed \(seed), part \(part)") {
      [
        log = log as String, seed = seed as UInt64, steps = steps as Int,
        isThorough = isThorough as Bool, part = part as UInt64
      ] in
      let run = ExtremeRun(
        log: try ProcessLog(log), seed: seed, steps: steps, isThorough: isThorough)
      for kind in ExtremePlace.kinds.indices where !isThorough || UInt64(kind) % 2 == part {
        try await run.run(kind)
      }
      run.log.write("done")
    }
    try ProcessLog.check(log, "seed \(seed)")
  }

  /// A rectangle far larger than the content has the same elements as one around the content.
  /// `rotary` is bounded to a part of the content, as `VisibleEffect` documents.
  @Test(arguments: ExtremePlace.kinds)
  func aRectangleOfAnySizeReturnsTheElementsInIt(kind: KindExample) throws {
    let directory = try TemporaryDirectory()
    for place in try ExtremePlace.all(kind, in: directory, where: { $0.isMultiple(of: 3) })
    where place.hasItems && !place.description.contains("rotary") {
      let snapshot = place.snapshot
      let visible = Rect(x: 0, y: 0, width: 200, height: 150)
      let far: Length = 4_000_000
      let everywhere = Rect(x: -far, y: -far, width: far * 2, height: far * 2)
      let all = try snapshot.elements(in: everywhere, visible: visible).elements
      #expect(all.count > 14)
      for x in Extremes.lengths {
        for width in Extremes.lengths {
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
}

/// The lines that a child process writes: each step before it takes it, failures, and "done".
struct ProcessLog {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    try #require(descriptor >= 0, "\(path) can't be created")
  }

  func write(_ line: String) {
    let line = Array((line.replacing("\n", with: " ") + "\n").utf8)
    precondition(Foundation.write(descriptor, line, line.count) == line.count)
  }

  /// Records the failures, with the step of each, and an end before "done".
  static func check(_ path: String, _ context: String) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let failures = lines.indices.filter { lines[$0].hasPrefix("failed") }
    for index in failures.prefix(20) {
      Issue.record("\(context), \(lines[max(0, index - 1)]): \(lines[index])")
    }
    if lines.last != "done" {
      Issue.record("\(context): the process has ended at \(lines.last ?? "its begin")")
    }
  }
}

/// The child process's part of the test.
private struct ExtremeRun {
  let log: ProcessLog
  let seed: UInt64
  let steps: Int
  /// Whether each kind is tested with every direction and effect, and with a part of the pairs of
  /// extremes that depends on the seed.
  let isThorough: Bool

  /// The timeout of the calls on one layout, in seconds.
  private static let secondsMax: UInt32 = 240

  func run(_ kind: Int) async throws {
    var generator = SeededGenerator(seed: seed &+ UInt64(kind) &* 1_000_003)
    let directory = try TemporaryDirectory()
    // Otherwise each kind in each direction, with an effect that differs between kinds.
    let places = try ExtremePlace.all(ExtremePlace.kinds[kind], in: directory) {
      isThorough || ($0 + kind).isMultiple(of: 5)
    }
    for (number, place) in places.enumerated() {
      alarm(Self.secondsMax)
      log.write("place \(place)")
      for (index, call) in ExtremeCall.all.enumerated() {
        // Each call gets every extreme on one layout, which differs between kinds, and only of a
        // quarter of the kinds.
        let isSwept = (index + kind) % places.count == number
        await run(
          index, call, place, kind,
          isThorough: isSwept && (isThorough || (index / 4 + kind).isMultiple(of: 4)),
          using: &generator)
      }
      let problems = try place.cache.verify().problems
      if !problems.isEmpty { log.write("failed: \(problems) of \(place)") }
      try place.cache.close()
      for (index, call) in ExtremeCall.all.enumerated() { await attempt(index, call, [:], place) }
    }
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
          guard self.isThorough, forms.count <= 3 else { continue }
          for other in (one + 1)..<max(one + 1, forms.count) {
            for second in 0..<ExtremeNumbers.count(forms[other])
            where (kind + value + second + Int(seed % 16)) % 16 == 0 {
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
    log.write("\(name) \(chosen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
    do {
      try await call.run(place, numbers)
    } catch let error as LayoutCacheError where error.blamesTheCaller {
    } catch is LimitError {
    } catch {
      log.write(
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
  static let texts = Extremes.texts + ["null", "true", #""9223372036854775808""#, "[]", "{}"]

  /// Members that are objects, with their members.
  private static let objects = [
    "itemSize": ["width", "height"], "inset": ["top", "left", "bottom", "right"],
    "background": ["zIndex", "inset"], "options": ["extra"],
    "itemWidth": ["fraction", "peek", "minus"],
    "header": ["fraction", "minus"],
  ]

  /// Configurations around a section: `?` is replaced by a number, `$` by the section.
  private static let frames = [
    #"{"container":{"width":?,"height":300},"section":$}"#,
    #"{"container":{"width":200,"height":?},"section":$}"#,
    #"{"container":{"width":?,"height":?},"scrollDirection":"horizontal","section":$}"#,
    #"{"container":{"width":200},"sectionSpacing":?,"section":$}"#,
    #"{"container":{"width":200},"header":{"length":?,"pins":true},"section":$}"#,
    #"{"container":{"width":200},"footer":{"length":{"fraction":1,"minus":?}},"section":$}"#,
    #"{"container":{"width":200},"background":{"kind":"page","zIndex":?},"section":$}"#,
    #"{"container":{"width":200},"effect":{"kind":"scale","maximumScale":?},"section":$}"#,
    #"{"container":{"width":200},"effect":{"kind":"rotary","maximumAngle":?},"section":$}"#,
    #"{"container":{"width":200},"sections":{"a":{"header":?}},"section":$}"#,
    #"{"container":{"width":200},"sections":{"a":{"supplementary":[{"kind":"x","length":?,"pins":true},{"kind":"y","edge":"bottom","length":9,"zIndex":?}]}},"section":$}"#,
    #"{"container":{"width":200},"sections":{"a":{"supplementary":[{"kind":"x","length":5e5,"crossLength":?,"inset":{"top":?}}]}},"section":$}"#,
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

  @Test func noNumberOfAConfigurationEndsTheProcess() async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    await #expect(processExitsWith: .success) { [log = log as String] in
      let log = try ProcessLog(log)
      for kind in ExtremePlace.kinds {
        try NumberConfigurationTests.setConfigurations(of: kind, log)
      }
      log.write("done")
    }
    try ProcessLog.check(log, "configurations")
  }

  private static func setConfigurations(of kind: KindExample, _ log: ProcessLog) throws {
    let directory = try TemporaryDirectory()
    let place = try #require(try ExtremePlace.all(kind, in: directory) { $0 == 0 }.first)
    let layout = LayoutID("tried", of: place.layout.dataset)
    var acceptedCount = 0
    for configuration in configurations(kind) {
      for text in texts {
        log.write("\(kind.name): \(configuration) with \(text.prefix(40))")
        alarm(30)
        do {
          try place.cache.setLayout(
            layout, to: ConfigurationText.decode(configuration.replacing("?", with: text)))
          try ExtremeCall.query(layout, place)
          acceptedCount += 1
        } catch is ConfigurationError {
        } catch let error as LayoutCacheError where error.category == .input {
        } catch {
          log.write("failed: \(error)")
        }
      }
    }
    if acceptedCount < 100 { log.write("failed: \(acceptedCount) accepted") }
    if try !place.cache.verify().problems.isEmpty { log.write("failed: verify") }
  }
}
