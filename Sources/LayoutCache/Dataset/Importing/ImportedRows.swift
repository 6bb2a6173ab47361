/// The texts of an import's rows, which are stored outside memory.
package struct ImportedRows {
  let keys: ImportedKeys
  let path: String

  /// Calls `body` with the text of each row whose key the dataset had before the import, in the
  /// order of their lines. Only for imports that skip such rows, after the commit.
  package func forEachKnown(_ body: ([UInt8]) throws -> Void) throws {
    try mappingErrors(path) { try keys.forEachKnown(body) }
  }
}
