/// An operation of a batch, and where it stands.
public struct BatchRecord: Hashable, Sendable {
  public var operation: BatchOperation
  /// The line, counted from 1.
  public var line: Int

  /// Creates a record.
  public init(_ operation: BatchOperation, line: Int) {
    self.operation = operation
    self.line = line
  }
}
