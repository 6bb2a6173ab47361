import Foundation
import LayoutCacheTestSupport
import LayoutStore
import TestSupport
import Testing

// Restoring with other calls for files than the system's is internal.
@testable import LayoutCache

/// The content of a path before or after a copy.
private enum CopyTarget: Equatable {
  case nothing
  /// A file that cannot be opened.
  case unreadable
  case datasets([String: SeenDataset])
}

// Backups and restores during which the disk fails, or the power is cut.
extension World {
  /// Copies the database, or restores the copy where there is no database, over one that was closed
  /// or that a killed process has left, or over a damaged one. Afterwards there is what was there
  /// before, or the whole copy.
  func failCopy() async throws {
    dropReaders()
    let (cache, folder) = (anyCache(), try anyFolder())
    let (copied, after) = (copiedDatasets, CopyTarget.datasets(try seen(by: caches[cache])))
    var old = CopyTarget.nothing
    let kind = ["a backup", "new", "closed", "killed", "damaged"].randomElement(using: &generator)!
    if kind != "a backup" { try caches[cache].backup(to: "\(folder)/backup") }
    if !["a backup", "new"].contains(kind) {
      try leave("\(folder)/feed", isKilled: kind != "closed", isDamaged: kind == "damaged")
      old = kind == "damaged" ? .unreadable : .datasets(try Self.seen(in: copied, ["extra": []]))
    }
    let before = FileManager.default.contents(atPath: "\(folder)/feed")
    record("\(cache) is copied: \(kind)")
    let copy = { [self] (folder: String) in
      _ = try mappingErrors(folder) {
        try kind == "a backup"
          ? caches[cache].backup(to: "\(folder)/feed")
          : Store.restore(
            from: "\(folder)/backup", to: "\(folder)/feed",
            StoreOptions(random: random, files: disk.files), progress: { _, _ in })
      }
    }
    let (place, isDone) = try meetFault(in: folder) { try copy(folder) }
    let (path, found) = ("\(place)/feed", try target("\(place)/feed"))
    switch isDone {
    case true?: #expect(found == after)
    case false?: #expect(found == old)
    case nil: #expect(found == old || found == after || kind == "damaged" && found == .unreadable)
    }
    if kind == "damaged" {
      let names = try FileManager.default.contentsOfDirectory(atPath: place)
        .filter { $0 == "feed" || $0.contains(".damaged-") }
      #expect(names.contains { FileManager.default.contents(atPath: "\(place)/\($0)") == before })
    }
    #expect(try .datasets(seen(by: caches[anyCache()])) == after)
    if found != after {
      // As the error of the next attempt says.
      try? FileManager.default.removeItem(atPath: "\(path)-partial")
      try copy(place)
      #expect(try target(path) == after)
    }
    if generator.oneIn(3) { try await inspect(path, copied) }
  }

  private func anyFolder() throws -> String {
    let folder = directory.path(of: freshName())
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Leaves a database with a further dataset.
  private func leave(_ path: String, isKilled: Bool, isDamaged: Bool) throws {
    try caches[anyCache()].backup(to: path)
    let cache = try open(path)
    try cache.createDataset("extra")
    // A killed process leaves the log. The file stays the same one.
    var contents = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
    try cache.close()
    if isDamaged { contents[0].replaceSubrange(0..<16, with: repeatElement(1, count: 16)) }
    for (end, content) in zip(["", "-wal"], contents) where isKilled {
      try content.write(to: URL(filePath: path + end))
    }
  }

  /// Makes a call, during which one of the disk's calls fails, once or from then on, or the power
  /// is cut, or the process is killed.
  ///
  /// - Returns: The folder with the files afterwards, and whether the call was acknowledged; `nil`
  ///   if that does not tell what it has done.
  private func meetFault(
    in folder: String, _ body: () throws -> Void
  ) throws -> (folder: String, isDone: Bool?) {
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
      return (other, image.stepCount == 1 ? true : nil)
    }
    let call = FailingDisk.Call.allCases.randomElement(using: &generator)!
    let times = generator.oneIn(2) ? 1 : 1_000_000
    let error = call != .lock && generator.oneIn(3) ? ENOSPC : EIO
    record("\(call) \(number) fails \(times) times with \(error)")
    disk.fail(call, number: number, count: times, with: error, isShort: generator.oneIn(3))
    let result = Result { try body() }
    let hasFailed = disk.heal()
    guard case .failure(let thrown) = result else { return (folder, true) }
    guard hasFailed, let own = thrown as? LayoutCacheError, own.category == .inputOutput else {
      throw thrown
    }
    count("failed copy")
    return (folder, own.mayBeStored ? nil : false)
  }

  /// Returns the content of a path; a database is opened and closed.
  private func target(_ path: String) throws -> CopyTarget {
    guard FileManager.default.fileExists(atPath: path) else { return .nothing }
    let cache: LayoutCache
    do { cache = try open(path) } catch let error as LayoutCacheError {
      guard [.corrupt, .inputOutput].contains(error.category) else { throw error }
      return .unreadable
    }
    defer { try? cache.close() }
    return .datasets(try seen(by: cache))
  }
}
