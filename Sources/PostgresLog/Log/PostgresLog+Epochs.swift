extension PostgresLog {
  package func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws {
    _ = try writing { connection in
      try connection.write(
        "UPDATE layoutcache.dataset SET epoch = $3 WHERE id = $1 AND epoch = $2",
        [
          .int64(dataset), .int32(Int32(clamping: epoch)), .int32(Int32(clamping: newEpoch)),
        ])
    }
  }
}
