import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import TextFormats

// Numbers in files that no numeric type can hold: in each member of each operation of a batch,
// and each column and member of an import. They are read, and the accepted ones are applied, in
// a child process, because a trap would end it.

@Suite struct NumberTextTests {
  static let texts = [
    "0", "-0", "-0.0", "-1", "0.5", "1e2", "2147483648", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551616", "1e400", "-1e400", "1e-400", "1e308",
    "5e-324", "1e99999999999999999999", "1e-99999999999999999999", "0e99999999999999999999",
    String(repeating: "9", count: 10_000), "-" + String(repeating: "9", count: 10_000),
    "0." + String(repeating: "0", count: 10_000) + "1",
    "1" + String(repeating: "0", count: 10_000) + "e-10000", "NaN", "Infinity", "null", "true",
    "\"9223372036854775808\"", "\"\"", "[]", "{}",
  ]

  /// An operation of each form, with all members that can be combined. `?` is replaced by the
  /// number under test.
  private static let operations = [
    #"{"op":"insert","section":"a","index":?,"items":[{"key":"n","width":3,"height":4}]}"#,
    #"{"op":"insert","section":"a","items":[{"key":"n","width":?,"height":4,"span":1}]}"#,
    #"{"op":"insert","section":"a","items":[{"key":"n","width":3,"height":?,"span":1}]}"#,
    #"{"op":"insert","section":"a","items":[{"key":"n","width":3,"height":4,"span":?}]}"#,
    #"{"op":"insert","section":"a","items":[{"key":?,"width":3,"height":4}]}"#,
    #"{"op":"insert","section":"a","items":[{"key":"n","width":3,"height":4,"data":{"x":?}}]}"#,
    #"{"op":"insert","section":?,"items":[{"key":"n","width":3,"height":4}]}"#,
    #"{"op":"insert","before":?,"items":[{"key":"n","width":3,"height":4}]}"#,
    #"{"op":"insert","after":?,"items":[{"key":"n","width":3,"height":4}]}"#,
    #"{"op":"insert","section":"a","items":?}"#,
    #"{"op":"delete","keys":[?],"missing":"ignore"}"#,
    #"{"op":"delete","keys":?,"missing":?}"#,
    #"{"op":"upsert","section":?,"items":[{"key":"n","width":3,"height":4}],"move":?}"#,
    #"{"op":"upsert","section":"a","items":[{"key":"a-1","width":?,"height":?,"span":?}]}"#,
    #"{"op":"upsert","section":"a","items":[{"key":"n","width":3,"height":4,"span":?}]}"#,
    #"{"op":"upsert","section":"a","items":?}"#,
    #"{"op":"move","key":"a-1","section":"a","index":?}"#, #"{"op":"move","key":?,"section":?}"#,
    #"{"op":"move","key":?,"before":?}"#, #"{"op":"move","key":"a-1","after":?}"#,
    #"{"op":"resize","key":"a-1","width":?,"height":4}"#,
    #"{"op":"resize","key":"a-1","width":3,"height":?}"#,
    #"{"op":"resize","key":?,"width":3,"height":4,"span":?}"#,
    #"{"op":"resize","key":"a-1","width":3,"height":4,"span":?}"#,
    #"{"op":"hide","keys":[?],"hidden":true}"#, #"{"op":"hide","keys":["a-1"],"hidden":?}"#,
    #"{"op":"prefer","layout":"phone","key":"a-1","length":?}"#,
    #"{"op":"prefer","layout":"phone","key":"a-1","length":3,"crossLength":?}"#,
    #"{"op":"prefer","layout":"phone","header":"a","length":?}"#,
    #"{"op":"prefer","layout":"phone","key":?,"length":3}"#,
    #"{"op":"prefer","layout":"phone","header":?,"length":3}"#,
    #"{"op":"prefer","layout":?,"footer":?,"length":3}"#,
    #"{"op":"data","key":?,"data":{}}"#, #"{"op":"data","key":"a-1","data":?}"#,
    #"{"op":"data","key":"a-1","data":{"x":?}}"#,
    #"{"op":"insertSection","key":"t","index":?}"#, #"{"op":"insertSection","key":?}"#,
    #"{"op":"insertSection","key":"t","style":?}"#,
    #"{"op":"style","section":?,"style":?}"#, #"{"op":"style","section":"a","style":?}"#,
    #"{"op":"deleteSection","key":?,"missing":?}"#,
    #"{"op":"moveSection","key":"a","index":?}"#, #"{"op":"moveSection","key":?,"index":0}"#,
    #"{"op":"invalidate","layout":"phone","items":[?],"sections":[]}"#,
    #"{"op":"invalidate","layout":?,"sections":[?],"everything":?}"#,
    #"{"op":"invalidate","layout":"phone","sections":["a"],"kinds":[?]}"#,
    #"{"op":"mark","source":?,"position":"1"}"#, #"{"op":"mark","source":"s","position":?}"#,
    #"{"op":"mark","source":"s","position":"1","after":?}"#,
    #"{"op":"prefer","layout":"phone","lengths":?}"#,
    #"{"op":"prefer","layout":"phone","lengths":[["a-1",?],["a-2",3,?]],"missing":"ignore"}"#,
    #"{"op":"prefer","layout":"phone","lengths":[[?,3]],"missing":?}"#,
    #"{"op":"prefer","layout":"phone","everything":?}"#,
    #"{"op":"prefer","layout":"phone","layoutHeader":?}"#,
    #"{"op":"prefer","layout":"phone","layoutFooter":?}"#,
    #"{"op":"match","sections":?}"#, #"{"op":"match","sections":[],"missing":?}"#,
    #"{"op":"match","sections":[{"key":?,"items":[]}],"missing":"keep"}"#,
    #"{"op":"match","sections":[{"key":"a","items":[{"key":"n","width":?,"height":4}]}]}"#,
    #"{"op":"match","sections":[{"key":"a","items":[{"key":"n","width":3,"height":?,"span":?}]}]}"#,
  ]

  @Test func everyFormAndMemberIsTried() {
    for form in OperationForm.all {
      let examples = Self.operations.filter { $0.contains(#""op":"\#(form.name)""#) }
      for member in form.members where member != "op" {
        let isTried = examples.contains { $0.contains(try! Regex("\"\(member)\":[^,]*\\?")) }
        #expect(isTried, "\(form.name) with \(member)")
      }
    }
  }

  @Test func noNumberInABatchTraps() async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    try "".write(toFile: log, atomically: true, encoding: .utf8)
    await #expect(processExitsWith: .success) { [log = log as String] in
      let file = try #require(FileHandle(forWritingAtPath: log))
      let cache = try LayoutCache.temporary()
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<5 {
          try importer.add(Item(key: "a-\(number)", width: 30, height: 40), section: "a")
        }
      }
      let layout = LayoutID("phone", of: "feed")
      try cache.setLayout(
        layout,
        to: ConfigurationText.decode(
          #"{"container":{"width":200},"section":{"kind":"flow","header":20,"footer":10}}"#))
      for operation in NumberTextTests.operations {
        for text in NumberTextTests.texts {
          let line = operation.replacing("?", with: text)
          file.write(Data("\(operation) with \(text.prefix(60))\n".utf8))
          do {
            let before = try cache.dataset("feed").revision
            let batch = try BatchReading(line).operations
            let commit = try cache.update("feed", with: batch, preparing: .upToDate)
            // Restores the state for the next operation.
            if commit.revision > before { try cache.undo("feed") }
          } catch let error as LayoutCacheError {
            switch error.category {
            case .input, .notFound, .usage: break
            default: file.write(Data("failed: \(error)\n".utf8))
            }
          }
        }
      }
      if try !cache.verify().problems.isEmpty { file.write(Data("failed: verify\n".utf8)) }
      file.write(Data("done\n".utf8))
    }
    try Self.check(log)
  }

  @Test(arguments: [TextFormat.csv, .tsv, .ndjson])
  func noNumberInAnImportTraps(format: TextFormat) async throws {
    let directory = try TemporaryDirectory()
    let log = directory.path(of: "log")
    try "".write(toFile: log, atomically: true, encoding: .utf8)
    let name = "\(format)"
    await #expect(processExitsWith: .success) { [log = log as String, name = name as String] in
      let format = try #require([TextFormat.csv, .tsv, .ndjson].first { "\($0)" == name })
      let file = try #require(FileHandle(forWritingAtPath: log))
      let cache = try LayoutCache.temporary()
      let columns = ["key", "width", "height", "section", "span"]
      for column in columns.indices {
        for text in NumberTextTests.texts {
          file.write(Data("\(columns[column]) with \(text.prefix(60))\n".utf8))
          var values = ["x", "3", "4", "s", "1"]
          if format == .ndjson { for index in [0, 3] { values[index] = "\"\(values[index])\"" } }
          values[column] = text
          let separator = format == .csv ? "," : "\t"
          let rows =
            format == .ndjson
            ? "{\(zip(columns, values).map { "\"\($0)\":\($1)" }.joined(separator: ","))}\n"
            : [columns, values].map { $0.joined(separator: separator) + "\n" }.joined()
          for invalid in ItemImport.InvalidRows.allCases {
            let work = ItemImport(
              dataset: "d", mode: .replace, format: format, invalidRows: invalid)
            var pieces = [Array(rows.utf8)]
            do {
              _ = try work.run(into: cache) { body in
                guard let piece = pieces.popLast() else { return false }
                try piece.withUnsafeBytes { try body($0) }
                return true
              }
              try cache.setLayout(
                LayoutID("l", of: "d"),
                to: ConfigurationText.decode(#"{"container":{"width":200}}"#))
              try cache.read(LayoutID("l", of: "d")) { _ = $0.contentSize }
            } catch is ImportError {
            } catch let error as LayoutCacheError {
              switch error.category {
              case .input, .notFound, .usage: break
              default: file.write(Data("failed: \(error)\n".utf8))
              }
            }
          }
        }
      }
      file.write(Data("done\n".utf8))
    }
    try Self.check(log)
  }

  private static func check(_ log: String) throws {
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    for (index, line) in lines.enumerated() where line.hasPrefix("failed") {
      Issue.record("\(lines[max(0, index - 1)]): \(line)")
    }
    if lines.last != "done" { Issue.record("the process has ended at \(lines.suffix(1))") }
  }
}
