package import LayoutCache

/// An operation of a batch, and where it stands.
package struct BatchRecord: Hashable, Sendable {
  /// The operation, sizes and inserted items held to `Limits`.
  package var operation: BatchOperation
  /// The line, counted from 1.
  package var line: Int

  /// Creates a record.
  package init(_ operation: BatchOperation, line: Int) {
    self.operation = operation
    self.line = line
  }
}
