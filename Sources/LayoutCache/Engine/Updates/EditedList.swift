/// A list as changes have left it: runs of what was there before, and entries for what has
/// come, or has been looked at by itself.
///
/// What was there before is told by its old index alone, and how much of it there was need
/// not be known: it continues for ever.
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

  /// A place before a run, or after the last one of a block.
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

  /// In blocks, so that a change among many runs passes over blocks and not over runs; at
  /// least one.
  private var blocks: [Block]

  /// The runs of a block that is not cut in two.
  private static var blockMax: Int { 512 }

  /// A list that nothing has changed.
  static var unchanged: EditedList { EditedList(Block([.kept(0..<(1 << 48))])) }

  /// A list that was not there before.
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

  /// Puts entries in place of what is in a range.
  ///
  /// - Returns: What was there.
  /// - Throws: Where the list does not go so far; it is then of no more use.
  /// - Complexity: O(√runs), and the runs that go and come.
  @discardableResult
  mutating func replace(
    _ range: Range<Int>, with entries: [Entry]
  ) throws(MisplacedOperation) -> [Stretch] {
    let place = try cut(at: range.lowerBound)
    let removed = try take(range.count, from: place)
    let new = entries.map(Stretch.entry)
    blocks[place.block].runs.insert(contentsOf: new, at: place.run)
    blocks[place.block].count += new.count
    if blocks[place.block].runs.count > Self.blockMax { divide(place.block) }
    return removed
  }

  /// Changes the entry at an index; what was there before becomes one.
  ///
  /// - Parameter entry: What represents an old index.
  /// - Throws: As ``replace(_:with:)``.
  mutating func change(
    _ index: Int, as entry: (Int) -> Entry, _ body: (inout Entry) -> Void
  ) throws(MisplacedOperation) {
    let place = try cut(at: index)
    // The place may be behind the last run of its block.
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

  /// The place before an element, at which a run begins then.
  private mutating func cut(at index: Int) throws(MisplacedOperation) -> Place {
    var (block, rest) = (0, index)
    while block < blocks.count - 1, rest >= blocks[block].count {
      rest -= blocks[block].count
      block += 1
    }
    for (number, run) in blocks[block].runs.enumerated() {
      if rest == 0 { return Place(block: block, run: number) }
      if rest < run.count, case .kept(let range) = run {
        let middle = range.lowerBound + rest
        blocks[block].runs[number] = .kept(range.lowerBound..<middle)
        blocks[block].runs.insert(.kept(middle..<range.upperBound), at: number + 1)
        return Place(block: block, run: number + 1)
      }
      rest -= run.count
    }
    guard rest == 0 else { throw MisplacedOperation() }
    return Place(block: block, run: blocks[block].runs.count)
  }

  /// Takes out elements after a place.
  private mutating func take(
    _ count: Int, from place: Place
  ) throws(MisplacedOperation) -> [Stretch] {
    var taken: [Stretch] = []
    var rest = count
    var (block, number) = (place.block, place.run)
    while rest > 0 {
      guard block < blocks.count else { throw MisplacedOperation() }
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
