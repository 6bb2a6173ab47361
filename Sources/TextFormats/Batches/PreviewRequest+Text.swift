package import LayoutCache

extension PreviewRequest {
  /// The maximum length of a request in bytes.
  package static let bytesMax = 64 << 10

  /// Reads a request: an object with `operations`, an array of the operations of a batch, or with
  /// `undoTo`, a revision; and with `configuration`, a layout's configuration. It has one of
  /// them at least.
  ///
  /// - Parameter text: Strict JSON (RFC 8259).
  /// - Throws: ``RecordProblem``, whose line is 1; `ConfigurationError`.
  package init(text: String) throws {
    self = try BatchObject.reading(text) { try Self($0) }
  }

  private init(_ body: BatchObject) throws {
    let (operations, undoTo, configuration) = ("operations", "undoTo", "configuration")
    let members = [operations, undoTo, configuration]
    try body.requireMembers(members, of: "a preview")
    guard members.contains(where: body.has) else {
      throw body.problem(
        .missingField, operations, "one of \(members.joined(separator: ", ")) is needed")
    }
    var batch: [BatchOperation] = []
    if body.has(operations) {
      try body.forEachObject(of: operations, areOperations: true) { line throws(RecordProblem) in
        batch.append(try OperationForm.operation(of: line))
      }
    }
    var changes = Changes.batch(batch)
    if body.has(undoTo) {
      let revision = try body.integer(undoTo)
      guard !body.has(operations) else {
        throw body.problem(
          .conflictingMembers, undoTo, "\(undoTo) cannot be combined with \(operations)")
      }
      guard revision >= 0 else {
        throw body.problem(.beyondLimit, undoTo, "\(undoTo) is \(revision), not a revision")
      }
      changes = .undo(to: revision)
    }
    self.init(
      changes,
      configuration: body.has(configuration)
        ? try ConfigurationText.decode(body.object(configuration)) : nil)
  }
}
