import BenchmarkBaselines
import LayoutCache

/// The fastest hand-written solution with the engine's answers: plain arrays of the items' starts
/// and numbers, with a key for each number.
///
/// This is the fair baseline for a query. Arrays that only count the items measure the search, but
/// not the creation of the answer.
struct AttributeArrays {
  /// For each column the numbers of its items, in the order of their starts.
  private let numbers: [[UInt32]]
  private let keys: [String]
  private let columnWidth: Length

  /// - Parameter feed: The items, in their positions after the import.
  init(_ feed: BenchFeed) {
    var numbers = [[UInt32]](repeating: [], count: BenchFeed.columns)
    for (number, position) in feed.positions.enumerated() {
      numbers[position.column].append(UInt32(number))
    }
    self.numbers = numbers
    keys = (0..<feed.itemCount).map { feed.key($0) }
    columnWidth = Length(units: BenchFeed.side.units / Int64(BenchFeed.columns))
  }

  /// The items that intersect a viewport of all columns, in the order of their numbers.
  ///
  /// - Parameter arrays: The present starts of the items.
  /// - Complexity: O(columns · log items), and O(columns) for each item.
  func elements(in viewport: Range<Int64>, _ arrays: PlainArrays) -> [LayoutAttributes] {
    let columns = numbers.count
    return withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: columns) { found in
      var count = 0
      for column in 0..<columns {
        let items = arrays.items(ofColumn: column, in: viewport)
        found.initializeElement(at: column, to: items)
        count += items.count
      }
      return [LayoutAttributes](unsafeUninitializedCapacity: count) { elements, initialized in
        while initialized < count {
          let (column, number) = next(of: found)
          let index = found[column].lowerBound
          found[column] = (index + 1)..<found[column].upperBound
          let (start, end) = arrays.extent(ofColumn: column, item: index)
          elements.initializeElement(
            at: initialized,
            to: LayoutAttributes(
              category: .cell(key: keys[number]),
              indexPath: LayoutAttributes.IndexPath(section: 0, item: number),
              sectionKey: Importer.defaultSection,
              frame: Rect(
                x: Length(units: Int64(column) * columnWidth.units), y: Length(units: start),
                width: columnWidth, height: Length(units: end - start)),
              column: column))
          initialized += 1
        }
      }
    }
  }

  /// The column whose next item has the lowest number, and that number.
  private func next(
    of found: UnsafeMutableBufferPointer<Range<Int>>
  ) -> (column: Int, number: Int) {
    var first = (column: 0, number: Int.max)
    for column in found.indices where !found[column].isEmpty {
      let number = Int(numbers[column][found[column].lowerBound])
      if number < first.number { first = (column, number) }
    }
    return first
  }
}
