import LayoutCache
import LayoutGeometry
import TextFormats

/// A batch of operations, with the lines of its text that contain them.
struct Batch {
  private let name: String
  private let records: [BatchRecord]

  /// Reads a whole source.
  ///
  /// - Parameters:
  ///   - name: The source's name in messages.
  ///   - readPiece: Calls its argument with the next piece of the text; returns whether there
  ///     was one.
  /// - Throws: ``Failure`` naming the source and the line.
  init(
    from name: String, readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws {
    self.name = name
    do {
      var reader = BatchReader()
      while try readPiece({ try reader.consume($0) }) {}
      records = try reader.finish()
    } catch let problem as RecordProblem {
      throw Failure(
        .badInput, clauses("\(name), \(problem)", Self.nothingChanged), line: problem.line)
    } catch let error as ImportError {
      throw Failure(error, in: name)
    }
  }

  /// Applies the batch to a dataset.
  ///
  /// - Parameter isPreview: Whether nothing is changed.
  /// - Throws: ``Failure`` naming the source and the line of a rejected operation. Nothing is
  ///   changed then.
  func commit(
    to dataset: String, of cache: LayoutCache, _ change: ChangeOptions, isPreview: Bool
  ) throws -> Commit {
    do {
      let apply = isPreview ? cache.preview : cache.update
      return try apply(
        dataset, records.map(\.operation), change.visible, change.offsetAnchor,
        change.layoutDirection.direction, change.prepared, change.revision.expect)
    } catch let error as LayoutCacheError {
      var (line, hint): (Int?, String?)
      switch error.code {
      case .refused(let number, let reason):
        line = records[number - 1].line
        hint = NearNames(cache).hint(for: reason, of: dataset)
      case .batchTooLong, .revisionMismatch: break
      default: throw error
      }
      let place = line.map { ", line \($0)" } ?? ""
      throw Failure(
        ExitStatus(error.category), clauses("\(name)\(place): \(error)", Self.nothingChanged),
        code: error.code.name, hint: hint, line: line)
    }
  }

  fileprivate static let nothingChanged = "nothing was changed"
}

extension Failure {
  /// Creates the failure for text that can't be parsed.
  fileprivate init(_ error: ImportError, in name: String) {
    let advice =
      switch error.code {
      case .emptyInput: "it needs an operation"
      case .notText: "is it NDJSON?"
      default: nil as String?
      }
    self.init(
      .badInput, clauses("\(name), \(error)", advice, Batch.nothingChanged), line: error.line)
  }
}
