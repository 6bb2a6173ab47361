/// The key of the hashes in a database of the engine, which is random by default. With a fixed key
/// the same calls do the same work in every run.
package enum HashKey {
  /// Sets the key of a database without datasets, which must be closed.
  package static func fix(_ path: String) throws {
    let connection = try SQLiteConnection(path, synchronous: .normal, cacheKibibytes: 2000)
    try connection.execute(
      "UPDATE database SET hash_key = x'000102030405060708090a0b0c0d0e0f'")
  }
}
