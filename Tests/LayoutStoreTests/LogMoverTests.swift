import Foundation
import SumTree
import Synchronization
import TestSupport
import Testing

@testable import LayoutStore

// Strategy: transactions of some hundred pages, one after the other, and the lengths of the files.

@Suite struct LogMoverTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let store: Store
  private let space: NodeSpace

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path(of: "store.sqlite")
    store = try Store(path: path, options: StoreOptions())
    space = try store.write { try $0.makeSpace() }
  }

  private func length(_ file: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    return try #require(attributes[.size] as? Int)
  }

  /// Writes about `pages` pages in one transaction.
  private func write(pages: Int, from number: Int64) throws {
    try store.write { writer in
      for page in 0..<Int64(pages) {
        let id = space.id(number: number + page)
        try writer.insert(id, [UInt8](repeating: UInt8(truncatingIfNeeded: page), count: 4000))
      }
    }
  }

  /// A connection without a read moves nothing and reports success: the log then grew for as
  /// long as the process ran, and every commit waited for it.
  @Test func theLogStaysBoundedUnderAWriterWithoutPauses() throws {
    for batch in 0..<60 { try write(pages: 500, from: Int64(1 + batch * 500)) }
    #expect(try length(path) > 25_000 * 4000)
    // All writers wait from 16,000 pages on, writers of many pages from 4,000.
    #expect(try length(path + "-wal") < 10_000 * 4096)
  }

  /// A slow reader, and a writer of another process that waits for a second at most.
  @Test func emptyingTheLogHoldsNoLockForLong() throws {
    var options = StoreOptions()
    options.busyTimeout = 1
    let other = try Store(path: path, options: options)
    try write(pages: 10, from: 1)
    let isEmpty = Mutex<Bool?>(nil)
    var commits = 0
    try store.read { reader in
      _ = try reader.nodeCount()
      let thread = Thread { [store] in
        let result = try? store.emptyWriteAheadLog(attempts: 20)
        isEmpty.withLock { $0 = result ?? false }
      }
      thread.start()
      while isEmpty.withLock({ $0 }) == nil {
        try other.write { _ = try $0.makeSpace() }
        commits += 1
      }
    }
    #expect(commits > 20 && isEmpty.withLock { $0 } == false)
    #expect(try store.emptyWriteAheadLog())
  }

  /// With a commit after the read, and without one.
  @Test(arguments: [true, false])
  func aLogThatALongReadHasLengthenedIsCut(commits: Bool) throws {
    let limit = WALCheckpointer.limitBytes
    try Store(path: path, options: StoreOptions()).read { reader in
      _ = try reader.nodeCount()
      for batch in 0..<36 { try write(pages: 500, from: Int64(1 + batch * 500)) }
      #expect(try length(path + "-wal") > limit)
    }
    if commits {
      store.mover.moveAll()
      try write(pages: 1, from: 100_000)
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while try length(path + "-wal") > limit, ContinuousClock.now < deadline { usleep(100_000) }
    #expect(try length(path + "-wal") <= limit)
  }

  /// Without an attempt that waits, the log grows as long as the readers come; and as long as long
  /// ones come, if they do not wait for the attempt.
  @Test(arguments: [false, true])
  func aLogIsCutNextToReadsThatOverlap(areLong: Bool) throws {
    let microseconds: UInt32 = areLong ? 4_000_000 : 400_000
    let isOver = Mutex(false)
    for number in 0..<2 {
      let thread = Thread { [store] in
        func read(_ reader: StoreReader) throws {
          _ = try reader.nodeCount()
          usleep(microseconds)
        }
        usleep(UInt32(number) * microseconds / 2)
        while !isOver.withLock({ $0 }) { try? areLong ? store.readLong(read) : store.read(read) }
      }
      thread.start()
    }
    defer { isOver.withLock { $0 = true } }
    for batch in 0..<36 { try write(pages: 500, from: Int64(1 + batch * 500)) }
    let limit = WALCheckpointer.limitBytes
    #expect(try length(path + "-wal") > limit)
    let deadline = ContinuousClock.now + .seconds(90)
    while try length(path + "-wal") > limit, ContinuousClock.now < deadline { usleep(100_000) }
    #expect(try length(path + "-wal") <= limit)
  }

  @Test func aReaderThatWaitsForTheWriteLockEndsADebugBuild() async {
    await #expect(processExitsWith: .failure) {
      let directory = try TemporaryDirectory()
      let store = try Store(path: directory.path(of: "store.sqlite"), options: StoreOptions())
      try store.read { _ in _ = try store.write { try $0.makeSpace() } }
    }
  }
}
