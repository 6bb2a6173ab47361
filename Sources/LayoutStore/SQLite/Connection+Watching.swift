import LayoutCacheSQLite

extension Connection {
  /// Runs `body`, and `watch` periodically while its statements run.
  ///
  /// - Parameter watch: Cancels the running statement by throwing.
  /// - Throws: The error of `watch`; otherwise the error of `body`.
  func watched<R>(by watch: () throws -> Void, _ body: () throws -> R) throws -> R {
    try withoutActuallyEscaping(watch) { watch in
      let watcher = Watcher(watch)
      sqlite3_progress_handler(
        handle, Self.stepsBetweenLooks,
        { watcher in
          guard let watcher else { return 0 }
          return Unmanaged<Watcher>.fromOpaque(watcher).takeUnretainedValue().goesOn() ? 0 : 1
        }, Unmanaged.passUnretained(watcher).toOpaque())
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      do {
        return try withExtendedLifetime(watcher, body)
      } catch {
        throw watcher.error ?? error
      }
    }
  }

  /// The steps of SQLite's virtual machine between two calls of `watch`. Copying a row takes a
  /// few.
  private static let stepsBetweenLooks: Int32 = 1000
}

private final class Watcher {
  private let watch: () throws -> Void
  private(set) var error: (any Error)?

  init(_ watch: @escaping () throws -> Void) { self.watch = watch }

  func goesOn() -> Bool {
    do {
      try watch()
    } catch {
      self.error = error
    }
    return error == nil
  }
}
