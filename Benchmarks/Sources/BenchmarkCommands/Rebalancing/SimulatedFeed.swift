/// Items in five columns, in plain arrays. An item stays in its column until a rule moves it.
///
/// Each block of items stores the sums of its columns, so that the ends of the columns before an
/// item are computed without visiting all previous items.
struct SimulatedFeed {
  struct Item {
    var height: Int
    var column: Int
  }

  private struct Block {
    var items: [Item] = []
    var sums = [Int](repeating: 0, count: columnCount)
  }

  static let columnCount = 5
  private static let blockSize = 512

  private var blocks: [Block] = []
  private(set) var count = 0
  /// The ends of the columns.
  private(set) var ends = [Int](repeating: 0, count: columnCount)

  static func shortest(_ ends: [Int]) -> Int { ends.indices.min { ends[$0] < ends[$1] } ?? 0 }

  /// The difference between the longest and the shortest column.
  static func skew(_ ends: [Int]) -> Int { (ends.max() ?? 0) - (ends.min() ?? 0) }

  mutating func append(height: Int) {
    if blocks.last.map({ $0.items.count >= Self.blockSize }) ?? true { blocks.append(Block()) }
    let column = Self.shortest(ends)
    blocks[blocks.count - 1].items.append(Item(height: height, column: column))
    blocks[blocks.count - 1].sums[column] += height
    ends[column] += height
    count += 1
  }

  subscript(_ item: Int) -> Item {
    get {
      let (block, index) = location(item)
      return blocks[block].items[index]
    }
    set {
      let (block, index) = location(item)
      let old = blocks[block].items[index]
      blocks[block].items[index] = newValue
      add(-old.height, to: old.column, block)
      add(newValue.height, to: newValue.column, block)
    }
  }

  /// Inserts an item into the column that is shortest before it.
  mutating func insert(height: Int, at item: Int) {
    if item == count { return append(height: height) }
    let column = Self.shortest(ends(before: item))
    let (block, index) = location(item)
    blocks[block].items.insert(Item(height: height, column: column), at: index)
    add(height, to: column, block)
    count += 1
    if blocks[block].items.count >= 2 * Self.blockSize { split(block) }
  }

  mutating func remove(at item: Int) {
    let (block, index) = location(item)
    let old = blocks[block].items.remove(at: index)
    add(-old.height, to: old.column, block)
    count -= 1
    if blocks[block].items.isEmpty { blocks.remove(at: block) }
  }

  func ends(before item: Int) -> [Int] {
    var ends = [Int](repeating: 0, count: Self.columnCount)
    var rest = item
    for block in blocks {
      if rest >= block.items.count {
        rest -= block.items.count
        for column in ends.indices { ends[column] += block.sums[column] }
      } else {
        for item in block.items[..<rest] { ends[item.column] += item.height }
        break
      }
    }
    return ends
  }

  /// The mean and the maximum of the skews after all items.
  var skews: (mean: Double, max: Int) {
    var ends = [Int](repeating: 0, count: Self.columnCount)
    var (sum, most) = (0, 0)
    for block in blocks {
      for item in block.items {
        ends[item.column] += item.height
        let skew = Self.skew(ends)
        sum += skew
        most = max(most, skew)
      }
    }
    return (Double(sum) / Double(max(1, count)), most)
  }

  private func location(_ item: Int) -> (block: Int, index: Int) {
    var rest = item
    for (number, block) in blocks.enumerated() {
      if rest < block.items.count { return (number, rest) }
      rest -= block.items.count
    }
    preconditionFailure("item \(item) does not exist")
  }

  private mutating func add(_ height: Int, to column: Int, _ block: Int) {
    blocks[block].sums[column] += height
    ends[column] += height
  }

  private mutating func split(_ block: Int) {
    var (first, second) = (Block(), Block())
    for (index, item) in blocks[block].items.enumerated() {
      if index < Self.blockSize {
        first.items.append(item)
        first.sums[item.column] += item.height
      } else {
        second.items.append(item)
        second.sums[item.column] += item.height
      }
    }
    blocks.replaceSubrange(block...block, with: [first, second])
  }
}
