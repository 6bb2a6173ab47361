import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct UndoStackTests {
  private static let section = SectionReference(index: 3, key: "ä")

  /// A record of about some bytes.
  private func record(_ bytes: Int) -> [UInt8] {
    var record = UndoRecord()
    record.operations = 4
    record.columns = (0..<bytes).map { UInt8($0 % 7) }
    record.placements = [(4, Self.section, 9, [0, 1, 2]), (4, Self.section, 0, [1])]
    record.states[Self.section] = RebalanceState(
      settledSkew: 70, rebalance: Rebalance(next: 5, goesToEnd: true))
    return record.encoded
  }

  @Test func aRecordRoundTripsThroughItsBytes() throws {
    let bytes = record(20)
    let read = try UndoRecord(bytes)
    #expect(read.encoded == bytes)
    #expect(read.operations == 4 && read.columns.count == 20 && read.placements.count == 2)
    #expect(read.states[Self.section]?.rebalance?.next == 5)
    #expect(try UndoRecord([]).isEmpty)
  }

  /// A process that has stored and loaded the stack in between, and one that never has, know the
  /// same commits.
  @Test(arguments: 0..<20)
  func whatIsInReachDoesNotDependOnTheProcess(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let begin = Int.random(in: 0...30, using: &generator)
    var (stack, stored) = (UndoStack(begin: begin), UndoStack(begin: begin))
    var records: [Int: [UInt8]] = [:]
    let sizes = [0...9, 0...300, 0...9_000, 60_000...70_000]
    for revision in (begin + 1)..<(begin + 1_500) {
      if generator.oneIn(2) {
        let size = Int.random(
          in: sizes[generator.oneIn(300) ? 3 : Int(seed % 3)], using: &generator)
        records[revision] = record(size)
        stack.push(record(size), of: revision)
        stored.push(record(size), of: revision)
      }
      guard generator.oneIn(50) else { continue }
      let bytes = stored.encoded(at: revision)
      #expect(bytes == stack.encoded(at: revision))
      stored = try UndoStack(bytes, at: revision, isCut: false)
      var (sum, isInReach) = (0, true)
      for old in stride(from: revision, through: max(begin - 2, 0), by: -1) {
        sum += records[old]?.count ?? 0
        isInReach = isInReach && old > begin && revision - old < 1_000 && sum <= 65_536
        let wanted = isInReach ? records[old] ?? [] : nil
        #expect(try stack.record(of: old, at: revision) == wanted, "\(old) at \(revision)")
        #expect(try stored.record(of: old, at: revision) == wanted, "\(old) at \(revision)")
      }
    }
  }

  /// A trailing checkpoint has the records that are still there; of others it is not known whether
  /// there were any.
  @Test func anEarlierResultHasTheRecordsUpToIt() throws {
    var stack = UndoStack(begin: 10)
    for revision in [12, 14, 16] { stack.push(record(revision), of: revision) }
    let earlier = try UndoStack(stack.encoded(at: 20), at: 14, isCut: true)
    #expect(try earlier.record(of: 14, at: 14) == record(14))
    #expect(try earlier.record(of: 13, at: 14) == [])
    #expect(throws: HistoryIsLost.self) { try earlier.record(of: 10, at: 14) }
  }

  @Test func hostileBytesAreRejectedAndNeverTrap() throws {
    var stack = UndoStack(begin: 10)
    for revision in [12, 14] { stack.push(record(revision), of: revision) }
    var generator = SeededGenerator(seed: 1)
    for bytes in [stack.encoded(at: 20), record(20)] {
      for _ in 0..<3_000 {
        var hostile = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let place = Int.random(in: hostile.indices, using: &generator)
          hostile[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
        if generator.oneIn(3) {
          hostile.removeLast(Int.random(in: 1..<hostile.count, using: &generator))
        }
        expectDamageOrNothing { _ = try UndoStack(hostile, at: 20, isCut: false).encoded(at: 20) }
        expectDamageOrNothing { _ = try UndoRecord(hostile).encoded }
      }
    }
  }

  private func expectDamageOrNothing(_ body: () throws -> Void) {
    do { try body() } catch { #expect(error is Damage) }
  }
}
