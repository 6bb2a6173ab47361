/// A list after changes: runs of unchanged elements, and entries for inserted or individually
/// changed elements.
///
/// Unchanged elements are known only by their old indices. Their number need not be known: the
/// list is unbounded.
struct EditedList<Entry> {
  enum Stretch {
    /// Elements that existed before, by their old indices.
    case kept(Range<Int>)
    case entry(Entry)

    var count: Int {
      switch self {
      case .kept(let range): range.count
      case .entry: 1
      }
    }
  }

  /// A position before a run, or after the last run of a block.
  private struct Place {
    var block: Int
    var run: Int
  }

  private struct Block {
    var runs: [Stretch]
    var count: Int

    init(_ runs: some Sequence<Stretch>) {
      self.runs = Array(runs)
      count = self.runs.reduce(0) { $0 + $1.count }
    }
  }

  /// The runs in blocks, so that a change among many runs traverses blocks instead of runs; at
  /// least one block.
  private var blocks: [Block]

  /// The maximum number of runs in a block.
  private static var blockMax: Int { 512 }

  /// A list without changes.
  static var unchanged: EditedList { EditedList(Block([.kept(0..<(1 << 48))])) }

  /// A new, empty list.
  static var new: EditedList { EditedList(Block([])) }

  private init(_ block: Block) { blocks = [block] }

  /// Calls `body` with each run and the index at which it begins, in order.
  func forEachStretch(_ body: (Int, Stretch) -> Void) {
    var index = 0
    for block in blocks {
      for run in block.runs {
        body(index, run)
        index += run.count
      }
    }
  }

  /// Replaces a range with entries.
  ///
  /// - Returns: The previous content.
  /// - Throws: If the list is shorter; it is then unusable.
  /// - Complexity: O(√runs), plus the removed and inserted runs.
  @discardableResult
  mutating func replace(
    _ range: Range<Int>, with entries: [Entry]
  ) throws(Damage) -> [Stretch] {
    let place = try cut(at: range.lowerBound)
    let removed = try take(range.count, from: place)
    let new = entries.map(Stretch.entry)
    blocks[place.block].runs.insert(contentsOf: new, at: place.run)
    blocks[place.block].count += new.count
    if blocks[place.block].runs.count > Self.blockMax { divide(place.block) }
    return removed
  }

  /// Changes the entry at an index; an unchanged element becomes an entry.
  ///
  /// - Parameter entry: Creates the entry for an old index.
  /// - Throws: The errors of ``replace(_:with:)``.
  mutating func change(
    _ index: Int, as entry: (Int) -> Entry, _ body: (inout Entry) -> Void
  ) throws(Damage) {
    let place = try cut(at: index)
    // The position may be after the last run of its block.
    let removed = try take(1, from: place)
    precondition(removed.count == 1, "an element is one run")
    var changed: Entry
    switch removed[0] {
    case .kept(let range): changed = entry(range.lowerBound)
    case .entry(let known): changed = known
    }
    body(&changed)
    blocks[place.block].runs.insert(.entry(changed), at: place.run)
    blocks[place.block].count += 1
    if blocks[place.block].runs.count > Self.blockMax { divide(place.block) }
  }

  /// Splits a run if needed and returns the position before an element.
  private mutating func cut(at index: Int) throws(Damage) -> Place {
    var (block, rest) = (0, index)
    while block < blocks.count - 1, rest >= blocks[block].count {
      rest -= blocks[block].count
      block += 1
    }
    // By indices: an iterator would copy each run, and then all of them for the change.
    var number = 0
    while rest > 0, number < blocks[block].runs.count {
      let count = blocks[block].runs[number].count
      if rest < count, case .kept(let range) = blocks[block].runs[number] {
        let middle = range.lowerBound + rest
        blocks[block].runs[number] = .kept(range.lowerBound..<middle)
        blocks[block].runs.insert(.kept(middle..<range.upperBound), at: number + 1)
        rest = count
      }
      rest -= count
      number += 1
    }
    guard rest == 0 else { throw Damage.misplaced }
    return Place(block: block, run: number)
  }

  /// Removes elements after a position.
  private mutating func take(
    _ count: Int, from place: Place
  ) throws(Damage) -> [Stretch] {
    var taken: [Stretch] = []
    var rest = count
    var (block, number) = (place.block, place.run)
    while rest > 0 {
      guard block < blocks.count else { throw Damage.misplaced }
      guard number < blocks[block].runs.count else {
        (block, number) = (block + 1, 0)
        continue
      }
      let run = blocks[block].runs[number]
      if case .kept(let range) = run, run.count > rest {
        let middle = range.lowerBound + rest
        taken.append(.kept(range.lowerBound..<middle))
        blocks[block].runs[number] = .kept(middle..<range.upperBound)
        blocks[block].count -= rest
        break
      }
      taken.append(run)
      blocks[block].runs.remove(at: number)
      blocks[block].count -= run.count
      rest -= run.count
    }
    return taken
  }

  private mutating func divide(_ block: Int) {
    let runs = blocks[block].runs
    let half = Self.blockMax / 2
    blocks.replaceSubrange(
      block...block,
      with: stride(from: 0, to: runs.count, by: half).map {
        Block(runs[$0..<min($0 + half, runs.count)])
      })
  }
}
