import LayoutCache
import LayoutGeometry
import TextFormats

extension ItemImport {
  /// Imports a file, showing the progress.
  func run(
    into cache: LayoutCache, _ input: InputFile, _ rejected: OutputFile? = nil
  ) throws -> Outcome {
    try run(
      into: cache, from: input.name, rejecting: rejected.map { $0.write },
      watchBuilding: { placedItems, itemCount in
        try Interruption.check()
        ProgressLine.show(stage: "building the dataset", part: (placedItems, itemCount))
      },
      readPiece: { body in
        ProgressLine.show(bytesRead: input.bytesRead, of: input.byteCount)
        return try input.readPiece(body)
      })
  }

  /// Imports a whole source.
  ///
  /// - Parameters:
  ///   - name: The source's name in messages.
  ///   - reject, watchBuilding: As of the other `run`.
  ///   - readPiece: Calls its argument with the next piece of the text; returns whether there
  ///     was one.
  /// - Throws: ``Failure`` naming the source and the line. Nothing is stored then.
  func run(
    into cache: LayoutCache, from name: String, rejecting reject: (([UInt8]) throws -> Void)? = nil,
    watchBuilding: @escaping (_ placedItems: Int, _ itemCount: Int) throws -> Void = { _, _ in },
    readPiece: ((UnsafeRawBufferPointer) throws -> Void) throws -> Bool
  ) throws -> Outcome {
    do {
      return try run(
        into: cache, rejecting: reject, watchBuilding: watchBuilding, readPiece: readPiece)
    } catch let error as ImportError {
      throw Failure(error, in: name, format: format)
    } catch let error as LayoutCacheError {
      guard case .duplicateKey = error.code else { throw error }
      throw Failure(
        .badInput,
        clauses(
          "\(name), \(error)",
          """
          keys must be unique in a dataset; leave such rows out with --on-duplicate skip, or apply \
          them as changes with --on-duplicate update
          """))
    }
  }
}

extension Failure {
  private static func advice(
    onRow code: RecordProblem.Code, in name: String, _ format: TextFormat
  ) -> String {
    switch code {
    case .missingField, .malformedJSON, .tooLong:
      if let list = listAdvice(in: name, format) { return list }
      if code == .missingField {
        return "name the members with --key, --width and --height, or let --guess choose them"
      }
    case .invalidUTF8: return encodingAdvice(in: name)
    default: break
    }
    return "correct it, or skip such rows with --on-invalid skip"
  }

  /// Returns the remedy for bytes that are not UTF-8, by a sample of the file.
  private static func encodingAdvice(in name: String) -> String {
    let skip = "correct it, or skip such rows with --on-invalid skip"
    guard let input = try? InputFile(name), input.isRegularFile,
      let sample = try? input.peek(atLeast: 1 << 20).bytes
    else { return skip }
    return TextEncoding(sample).name.map { encoding in
      "the file seems to be \(encoding): iconv -f \(encoding) -t utf-8 \(ShellText.quoted(name))"
    } ?? skip
  }

  /// Returns the option for a file that is one JSON object around a list of items.
  static func listAdvice(in name: String, _ format: TextFormat) -> String? {
    guard format == .ndjson, let input = try? InputFile(name), input.isRegularFile else {
      return nil
    }
    var members = ListedMembers()
    // Damage was reported before, if it is in the part that matters.
    while (try? input.readPiece { members.consume($0) }) == true {}
    let lists = members.lists.map { list in
      "'\(excerpt(list.path))' is a list of \(plural(list.count, "object"))"
    }
    guard let first = members.lists.first else { return nil }
    return "the file is an object; its member \(lists.joined(separator: ", and ")); use --items "
      + ShellText.quoted(first.path)
  }

  /// Creates the failure for text that can't be imported.
  init(_ error: ImportError, in name: String, format: TextFormat) {
    let advice =
      switch error.code {
      case .emptyInput:
        format == .ndjson
          ? "it needs an object for each item" : "it needs a header row and a row for each item"
      case .notText: "is it \(format.rawValue.uppercased())?"
      case .invalidUTF8: Self.encodingAdvice(in: name)
      case .utf16: "iconv -f utf-16 -t utf-8 \(ShellText.quoted(name))"
      case .missingColumn:
        "name the columns with --key, --width, --height, --section, --span or --data, or let "
          + "--guess choose them"
      case .recordTooLong: "is a closing quote missing?"
      case .invalidRow(let code): Self.advice(onRow: code, in: name, format)
      case .noValidRow: clauses(Self.listAdvice(in: name, format), "nothing was stored")
      case .wouldEmpty: "pass --allow-empty to empty it"
      default: nil as String?
      }
    let message =
      switch error.code {
      case .invalidRow: "\(name), \(error)"
      case .noValidRow(let count):
        """
        \(name) has no valid item: all rows (\(count)) were skipped, the first at \(error)
        """
      case .wouldEmpty(let skippedCount):
        """
        no row of \(name) was accepted (\(skippedCount) skipped), so the dataset would become \
        empty; nothing was changed
        """
      default: "\(name), \(error)".replacing("FILE", with: ShellText.quoted(name))
      }
    self.init(.badInput, clauses(message, advice))
  }
}
