import LayoutStore

extension StoreReader {
  /// Returns the outcome of a request that was applied before.
  ///
  /// - Parameter now: The time in milliseconds since 1970.
  /// - Throws: ``LayoutCacheError`` with `idempotencyKeyReused` if the key was used with another
  ///   body.
  func replay(of request: IdempotentRequest, to dataset: Int64, at now: Int64) throws -> RequestRow?
  {
    let row = try self.request(to: dataset, owner: request.owner, key: request.key)
    guard let row, row.time > now - Budgets.requestMilliseconds else { return nil }
    guard row.bodyHash == request.bodyHash else {
      throw LayoutCacheError(.idempotencyKeyReused(request.key))
    }
    return row
  }
}

extension DatasetChange {
  /// Records that a request was applied, and deletes some expired ones.
  ///
  /// - Parameter answer: The answer; `nil` if it is not known yet.
  func remember(_ request: IdempotentRequest, revision: Int, answer: [UInt8]?) throws {
    let kept = answer.flatMap { $0.count <= Budgets.answerBytes ? $0 : nil }
    try writer.put(
      RequestRow(
        dataset: state.row.id, owner: request.owner, key: request.key,
        bodyHash: request.bodyHash, revision: revision, answer: kept, time: now),
      keepingAnswers: Budgets.answersBytes)
    try writer.forgetRequests(
      upTo: now - Budgets.keptRequestMilliseconds, count: Budgets.forgottenRequests)
  }
}
