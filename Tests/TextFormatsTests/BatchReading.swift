import LayoutCache
import TextFormats

/// The result of reading a whole batch: the operations, or the problem.
struct BatchReading: Equatable {
  var records: [BatchRecord] = []
  var problem: RecordProblem?
  var error: ImportError?

  var operations: [BatchOperation] { records.map(\.operation) }

  /// Reads a text in chunks that end at the given offsets, and at its end.
  init(_ text: [UInt8], cuts: [Int] = []) throws {
    var reader = BatchReader()
    do {
      var start = 0
      for end in cuts + [text.count] {
        try reader.consume(Array(text[start..<end]))
        start = end
      }
      records = try reader.finish()
    } catch let problem as RecordProblem {
      self.problem = problem
    } catch let error as ImportError {
      self.error = error
    }
  }

  init(_ text: String) throws { try self.init(Array(text.utf8)) }
}
