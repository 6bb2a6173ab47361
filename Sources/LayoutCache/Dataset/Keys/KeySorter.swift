import LayoutStore
import SumTree

/// A sorter for the index entries of an import, in constant memory: runs of some million entries
/// are sorted, moved to a scratch table, and merged at the end.
final class KeySorter {
  private static let chunkCount = 4096

  private let runCountMax: Int
  private var entries: [KeyIndexEntry] = []
  private var table: ScratchTable?
  private var runCount = 0

  /// - Parameter memoryBytesMax: The memory for sorting a run, including a second copy of its
  ///   entries.
  init(memoryBytesMax: Int) {
    runCountMax = max(1, memoryBytesMax / (2 * MemoryLayout<KeyIndexEntry>.stride))
  }

  func add(_ entry: KeyIndexEntry) throws {
    entries.append(entry)
    if entries.count == runCountMax { try setAside() }
  }

  /// Calls `body` with every entry in the order of hashes; entries with equal hashes keep the
  /// order in which they were added.
  ///
  /// - Complexity: O(n) in memory; O(n log runs) beyond.
  func forEachSorted(_ body: (KeyIndexEntry) throws -> Void) throws {
    guard table != nil else {
      RadixSort.sort(&entries)
      for entry in entries { try body(entry) }
      return
    }
    try setAside()
    guard let table else { preconditionFailure("a run was set aside") }
    var runs = try (0..<runCount).map { try Run(table: table, number: $0) }
    while true {
      // The runs are few: at 10^8 items there are 24.
      var least: Int?
      for index in runs.indices {
        guard let hash = runs[index].current?.hash else { continue }
        if least.map({ hash < runs[$0].current?.hash ?? .max }) ?? true { least = index }
      }
      guard let least, let entry = runs[least].current else { break }
      try body(entry)
      try runs[least].advance()
    }
  }

  private func setAside() throws {
    RadixSort.sort(&entries)
    let table = try table ?? ScratchTable()
    self.table = table
    var payload = ByteWriter(capacity: Self.chunkCount * 16)
    for (chunk, start) in stride(from: 0, to: entries.count, by: Self.chunkCount).enumerated() {
      payload.removeAll()
      let end = min(start + Self.chunkCount, entries.count)
      KeyIndexLeaf(entries: Array(entries[start..<end])).encode(into: &payload)
      try table.insert(major: runCount, minor: chunk, payload)
    }
    runCount += 1
    entries.removeAll(keepingCapacity: true)
  }

  /// A sorted run that is read back chunk by chunk.
  private struct Run {
    let table: ScratchTable
    let number: Int
    private var chunk = 0
    private var entries: [KeyIndexEntry] = []
    private var index = 0

    /// The next entry; `nil` at the end.
    var current: KeyIndexEntry? { index < entries.count ? entries[index] : nil }

    init(table: ScratchTable, number: Int) throws {
      self.table = table
      self.number = number
      try load()
    }

    mutating func advance() throws {
      index += 1
      if index == entries.count {
        chunk += 1
        try load()
      }
    }

    private mutating func load() throws {
      index = 0
      guard let payload = try table.payload(major: number, minor: chunk) else {
        entries = []
        return
      }
      entries = try ByteReader.read(payload) { try KeyIndexLeaf(from: &$0).entries }
    }
  }
}

/// A stable radix sort of index entries by their 48-bit hashes: three passes of
/// 16 bits, several times as fast as a comparison sort at a million entries.
enum RadixSort {
  private static let digitBits: UInt64 = 16
  private static let passes: UInt64 = 3

  /// - Complexity: O(n), with a second array of n entries.
  static func sort(_ entries: inout [KeyIndexEntry]) {
    // Below this, clearing the counters costs more than comparing.
    if entries.count < 4096 {
      // Swift's sort is stable in practice, not by contract: compare the offsets too.
      entries = entries.enumerated().sorted {
        ($0.element.hash, $0.offset) < ($1.element.hash, $1.offset)
      }.map(\.element)
      return
    }
    var target = entries
    var counts = [Int](repeating: 0, count: 1 << Int(digitBits))
    for pass in 0..<passes {
      let shift = pass * digitBits
      for index in counts.indices { counts[index] = 0 }
      for entry in entries { counts[Int((entry.hash >> shift) & 0xFFFF)] += 1 }
      var start = 0
      for index in counts.indices {
        let count = counts[index]
        counts[index] = start
        start += count
      }
      for entry in entries {
        let digit = Int((entry.hash >> shift) & 0xFFFF)
        target[counts[digit]] = entry
        counts[digit] += 1
      }
      swap(&entries, &target)
    }
  }
}
