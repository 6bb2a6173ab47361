import Foundation
import LayoutCacheTestSupport
import LayoutStore
import TestSupport
import Testing

// Restoring with other calls for files than the system's is internal.
@testable import LayoutCache

/// What a copy has met, and left.
private struct CopyOutcome {
  /// The folder with the files.
  var folder: String
  /// Whether the copy was acknowledged; `nil` if the error states that it may be there.
  var isDone: Bool?
  /// Whether the removal of its files may have failed too.
  var mayLeaveFiles = true
}

/// The content of a path that a copy was to replace or create.
private enum CopyTarget: Equatable {
  case nothing
  /// A file that cannot be opened.
  case unreadable
  case datasets([String: SeenDataset])
}

// Backups and restores during which the disk fails, or the power is cut.
extension World {
  /// Afterwards there is the whole backup or none, and the database is as it was.
  func failBackup() async throws {
    dropReaders()
    let (cache, folder) = (anyCache(), try anyFolder())
    record("\(cache) is backed up")
    let before = try seen(by: caches[cache])
    let outcome = try meetFault(in: folder) {
      try caches[cache].backup(to: "\(folder)/copy")
    }
    let copy = "\(outcome.folder)/copy"
    switch outcome.isDone {
    case true?: #expect(try target(copy) == .datasets(before))
    case false?: #expect(try target(copy) == .nothing)
    case nil: #expect(try [.nothing, .datasets(before)].contains(target(copy)))
    }
    if outcome.isDone == false { try expectTidy(outcome, ["copy"]) }
    #expect(try seen(by: caches[anyCache()]) == before)
    if case .datasets = try target(copy) { try await inspect(copy, copiedDatasets) }
  }

  /// Restores a backup over a database that a killed process has left, over one that was closed,
  /// over a damaged one, or where there is none: afterwards there is either of both.
  func failRestore() async throws {
    dropReaders()
    let folder = try anyFolder()
    let (backup, path) = ("\(folder)/backup", "\(folder)/feed.sqlite")
    try caches[anyCache()].backup(to: backup)
    let (copied, after) = (copiedDatasets, try target(backup))
    let kind = ["none", "closed", "killed", "killed", "damaged"].randomElement(using: &generator)!
    if kind != "none" { try leave(path, isKilled: kind != "closed", isDamaged: kind == "damaged") }
    let before = try Self.contents(of: path)
    let old: CopyTarget =
      switch kind {
      case "none": .nothing
      case "damaged": .unreadable
      default: .datasets(try Self.seen(in: copied, ["extra": []]))
      }
    record("a backup is restored over a \(kind) database")
    let restore = { [self] (path: String) in
      _ = try mappingErrors(path) {
        try Store.restore(
          from: "\((path as NSString).deletingLastPathComponent)/backup", to: path,
          StoreOptions(random: random, files: disk.files)
        ) { _, _ in }
      }
    }
    let outcome = try meetFault(in: folder) { try restore(path) }
    let place = "\(outcome.folder)/feed.sqlite"
    let found = try target(place)
    switch outcome.isDone {
    case true?: #expect(found == after)
    case false?: #expect(found == old)
    case nil: #expect(found == old || found == after || kind == "damaged" && found == .unreadable)
    }
    // A file that cannot be opened is kept.
    if kind == "damaged", found != old || outcome.isDone != false {
      let names = try FileManager.default.contentsOfDirectory(atPath: outcome.folder)
      let kept = names.filter { $0 == "feed.sqlite" || $0.contains(".damaged-") }
      #expect(try kept.contains { try Self.contents(of: "\(outcome.folder)/\($0)") == before })
    }
    if outcome.isDone == false { try expectTidy(outcome, ["backup", "feed.sqlite"]) }
    if found != after {
      // As the error of the next attempt says.
      try? FileManager.default.removeItem(atPath: place + "-partial")
      try restore(place)
      #expect(try target(place) == after)
    }
    try await inspect(place, copied)
  }

  private var copiedDatasets: [WorldDataset] {
    datasets.map { dataset in
      var copied = dataset
      copied.noteCopy()
      return copied
    }
  }

  private func anyFolder() throws -> String {
    let folder = directory.path(of: freshName())
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Leaves a database with a further dataset.
  private func leave(_ path: String, isKilled: Bool, isDamaged: Bool) throws {
    try caches[anyCache()].backup(to: path)
    let cache = try openAlone(path)
    try cache.createDataset("extra")
    // A killed process leaves the log. The file stays the same one.
    let files = [path, path + "-wal"]
    let contents = try files.map { try Data(contentsOf: URL(filePath: $0)) }
    try cache.close()
    guard isKilled else { return }
    for (file, content) in zip(files, contents) { try content.write(to: URL(filePath: file)) }
    guard isDamaged else { return }
    var content = contents[0]
    content.replaceSubrange(0..<16, with: repeatElement(1, count: 16))
    try content.write(to: URL(filePath: path))
  }

  private func openAlone(_ path: String) throws -> LayoutCache {
    try LayoutCache(
      path: path, options: settings.options, sectionLayouts: TestKinds.all, logger: log.logger,
      clock: clock.clock, random: random, files: disk.files)
  }

  /// Makes a call, during which one of the disk's calls fails, once or from then on, or the power
  /// is cut, or the process is killed.
  private func meetFault(in folder: String, _ body: () throws -> Void) throws -> CopyOutcome {
    let most = [8, 60, 600].randomElement(using: &generator)!
    let number = Int.random(in: 1...most, using: &generator)
    if generator.oneIn(2) {
      let (other, losesPower) = (try anyFolder(), !generator.oneIn(3))
      try disk.record(folder + "/", cutAtCall: number)
      try body()
      disk.acknowledge(1)
      let image = try #require(disk.endRecording())
      try image.write(to: other + "/", losesPower: losesPower, using: &generator)
      record("\(losesPower ? "a power cut" : "a kill") at call \(number) leaves \(other)")
      count(image.stepCount == 0 ? "power cut of a copy" : "copy before a power cut")
      return CopyOutcome(folder: other, isDone: image.stepCount == 1 ? true : nil)
    }
    let call = FailingDisk.Call.allCases.randomElement(using: &generator)!
    let (times, error) = (generator.oneIn(2) ? 1 : 1_000_000, generator.oneIn(3) ? ENOSPC : EIO)
    record("\(call) \(number) fails \(times) times with \(error)")
    disk.fail(
      call, number: number, count: times, with: call == .lock ? EIO : error,
      isShort: generator.oneIn(3))
    let result = Result { try body() }
    let hasFailed = disk.heal()
    guard case .failure(let thrown) = result else {
      return CopyOutcome(folder: folder, isDone: true)
    }
    guard hasFailed, let own = thrown as? LayoutCacheError, own.category == .inputOutput else {
      throw thrown
    }
    count("failed copy")
    return CopyOutcome(
      folder: folder, isDone: own.mayBeStored ? nil : false, mayLeaveFiles: times > 1)
  }

  /// A call that has failed once leaves no other files.
  private func expectTidy(_ outcome: CopyOutcome, _ expected: [String]) throws {
    if outcome.mayLeaveFiles { return }
    let left = try FileManager.default.contentsOfDirectory(atPath: outcome.folder).filter {
      !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-lock")
    }
    #expect(Set(left).isSubset(of: expected))
  }

  private static func contents(of path: String) throws -> Data? {
    FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : nil
  }

  /// The content of a file, which is opened and closed.
  private func target(_ path: String) throws -> CopyTarget {
    guard FileManager.default.fileExists(atPath: path) else { return .nothing }
    let cache: LayoutCache
    do { cache = try openAlone(path) } catch let error as LayoutCacheError {
      guard [.corrupt, .inputOutput].contains(error.category) else { throw error }
      return .unreadable
    }
    let found = try seen(by: cache)
    try cache.close()
    return .datasets(found)
  }

  private func inspect(_ path: String, _ copied: [WorldDataset]) async throws {
    if !generator.oneIn(3) { return }
    try await at(path, copied) { world in
      try await world.inspect()
      if world.generator.oneIn(2) { try world.commit() }
    }
  }
}
