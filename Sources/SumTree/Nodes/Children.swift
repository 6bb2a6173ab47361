/// The children of an inner node, in document order, as a collection of `Child`.
///
/// There is one array for each member. Edits copy them along a path: counts, and summaries
/// without heap memory, as plain bytes; unchanged counts are not copied at all. An array of
/// `Child`, whose layout depends on the leaf's summary, is copied and destroyed by
/// unspecialised witnesses, at some hundred instructions per child.
///
/// If summaries are quick to multiply, their products over *runs* of eight children are stored
/// next to them: a seek passes over a run in one step, and an edit multiplies the summaries of
/// one run, and the runs.
@usableFromInline package struct Children<Leaf: TreeLeaf>: RandomAccessCollection, Sendable {
  @usableFromInline var summaries: ContiguousArray<Leaf.LeafSummary> = []
  @usableFromInline var counts: ContiguousArray<Int> = []
  @usableFromInline var cells: ContiguousArray<NodeCell> = []
  /// The products of the summaries of `runLength` children each, and of the rest. Empty if runs
  /// are not stored, or have not been multiplied yet; see ``multiplyRuns()``.
  @usableFromInline var runs: ContiguousArray<Leaf.LeafSummary> = []

  /// The square root of the fan-out in files, so that there are as many runs as children in each.
  @inlinable static var runLength: Int { 8 }

  @inlinable
  init() {}

  @inlinable
  init(_ children: some Collection<Child<Leaf>>) {
    reserveCapacity(children.count)
    for child in children { append(child) }
  }

  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { counts.count }

  @inlinable
  package subscript(index: Int) -> Child<Leaf> {
    Child(summary: summaries[index], count: counts[index], ref: NodeRef(cells[index]))
  }

  /// Returns the product of the summaries, and the sum of the counts.
  @inlinable
  var total: (summary: Leaf.LeafSummary, count: Int) {
    var summary = Leaf.LeafSummary.identity
    var count = 0
    for factor in runs.isEmpty ? summaries : runs { summary.append(factor) }
    for index in counts.indices { count += counts[index] }
    return (summary, count)
  }

  /// Multiplies the summaries of each run, unless that has been done or runs are not stored.
  ///
  /// Called once for each node that is created.
  ///
  /// - Complexity: O(children) products the first time.
  @inlinable
  mutating func multiplyRuns() {
    guard runs.isEmpty, count > Self.runLength,
      summaries.allSatisfy(\.isQuicklyMultiplied)
    else { return }
    runs.reserveCapacity((count + Self.runLength - 1) / Self.runLength)
    for start in stride(from: 0, to: count, by: Self.runLength) {
      runs.append(product(ofRunAt: start))
    }
  }

  /// Whether the stored runs equal the products of their children.
  @usableFromInline
  var areRunsProducts: Bool {
    if runs.isEmpty { return true }
    var fresh = self
    fresh.runs = []
    fresh.multiplyRuns()
    return fresh.runs == runs
  }

  /// Runs `body` on the summaries, the counts and the runs. A search reads dozens of them, and
  /// bounds checks would take half of its time.
  ///
  /// There are as many summaries as counts, and no run or one for each ``runLength`` of them,
  /// the last of which may be shorter. All are valid until `body` returns.
  @inlinable
  @inline(__always)
  func withFactors<Result>(
    _ body: (
      _ summaries: UnsafeBufferPointer<Leaf.LeafSummary>, _ counts: UnsafeBufferPointer<Int>,
      _ runs: UnsafeBufferPointer<Leaf.LeafSummary>
    ) throws -> Result
  ) rethrows -> Result {
    try summaries.withUnsafeBufferPointer { summaries in
      try counts.withUnsafeBufferPointer { counts in
        try runs.withUnsafeBufferPointer { try body(summaries, counts, $0) }
      }
    }
  }

  /// Returns the children of the run that begins with a child.
  @inlinable
  func run(at start: Int) -> Range<Int> { start..<Swift.min(start + Self.runLength, count) }

  /// Returns the number of elements below a run.
  @inlinable
  func elementCount(ofRunAt start: Int) -> Int {
    var total = 0
    for index in run(at: start) { total &+= counts[index] }
    return total
  }

  @inlinable
  func product(ofRunAt start: Int) -> Leaf.LeafSummary {
    var product = Leaf.LeafSummary.identity
    for index in run(at: start) { product.append(summaries[index]) }
    return product
  }

  /// Returns the index of the child with an element below.
  ///
  /// - Parameter start: The offset of the first element; receives that of the child's.
  @inlinable
  func index(ofElement target: Int, start: inout Int) -> Int {
    var index = 0
    while target - start >= counts[index] {
      start += counts[index]
      index += 1
    }
    return index
  }

  @inlinable
  mutating func reserveCapacity(_ count: Int) {
    summaries.reserveCapacity(count)
    counts.reserveCapacity(count)
    cells.reserveCapacity(count)
  }

  @inlinable
  mutating func append(_ child: Child<Leaf>) {
    runs = []
    summaries.append(child.summary)
    counts.append(child.count)
    cells.append(child.ref.cell)
  }

  /// Appends a range of other children.
  @inlinable
  mutating func append(_ range: Range<Int>, of other: Children) {
    NodeCell.prefetch(other.cells[range])
    runs = []
    summaries.append(contentsOf: other.summaries[range])
    counts.append(contentsOf: other.counts[range])
    cells.append(contentsOf: other.cells[range])
  }

  /// Returns a range of the children.
  @inlinable
  func slice(_ range: Range<Int>) -> Children {
    var slice = Children()
    slice.reserveCapacity(range.count)
    slice.append(range, of: self)
    return slice
  }

  /// Returns these children with another one at an index.
  @inlinable
  func replacing(at index: Int, with child: Child<Leaf>) -> Children {
    var children = self
    NodeCell.prefetch(cells[...])
    children.replace(at: index, with: child)
    return children
  }

  /// Replaces the child at an index.
  @inlinable
  mutating func replace(at index: Int, with child: Child<Leaf>) {
    summaries[index] = child.summary
    if counts[index] != child.count { counts[index] = child.count }
    cells[index] = child.ref.cell
    if runs.isEmpty { return }
    if child.summary.isQuicklyMultiplied {
      let run = index / Self.runLength
      runs[run] = product(ofRunAt: run * Self.runLength)
    } else {
      runs = []
    }
  }

  /// Returns the children of `head` before index `headEnd`, then `middle`, then
  /// those of `tail` from index `tailStart` on.
  @inlinable
  static func spliced(
    _ head: Children, upTo headEnd: Int, with middle: ContiguousArray<Child<Leaf>>,
    from tailStart: Int, of tail: Children
  ) -> Children {
    var children = Children()
    children.reserveCapacity(headEnd + middle.count + tail.count - tailStart)
    children.append(0..<headEnd, of: head)
    for child in middle { children.append(child) }
    children.append(tailStart..<tail.count, of: tail)
    return children
  }
}
