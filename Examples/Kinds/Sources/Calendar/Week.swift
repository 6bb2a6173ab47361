import LayoutCache

/// A week: days side by side, hours downward, and overlapping events next to each other.
///
///     { "kind": "week", "options": { "hourLength": 48 } }
///
/// An item's data is `{"day":0...6,"start":9.5,"end":11}`, in hours; items are sorted by day
/// and start. A chain of overlapping events is a cluster. Each event of a cluster is placed in
/// the first free column; the number of columns depends on the following events. Clusters are
/// independent, so an edit places the events of one or two clusters again.
struct Week: SectionLayout, SectionDecorator {
  static let kind = "week"

  let reads: ItemDependencies = .data
  /// The maximum number of following events that determine a cluster's columns.
  let lookahead = 16
  let sectionKinds: Set<CustomElement.Kind> = [.decoration("hour"), .supplementary("time")]
  /// A time extends to both sides of its line.
  let overhang: Length = 6

  /// The width of the column of times, before the days.
  private let margin: Length = 40
  private let line: Range<Length>
  private let hourLength: Double

  /// The reason why an item or the options are invalid.
  struct Invalid: Error, CustomStringConvertible {
    var description: String
  }

  init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
    hourLength = options["hourLength"]?.number ?? 48
    guard hourLength >= 1, hourLength <= 1000 else {
      throw Invalid(description: "an hour's length is a number from 1 to 1000")
    }
    line = space.line
    guard line.upperBound - line.lowerBound > margin + 70 else {
      throw Invalid(description: "a week needs more than 110 points")
    }
  }

  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) throws -> ItemPlacement {
    guard let event = Event(item) else {
      throw Invalid(description: "an event has a day, a start and an end within it")
    }
    var cluster = Cluster(state)
    if !cluster.continues(with: event) {
      cluster = Cluster(event)
      for distance in 1...lookahead {
        guard let next = context.next(distance).flatMap(Event.init), cluster.continues(with: next)
        else { break }
        cluster.count(next)
      }
      cluster.begin()
    } else if event.start < cluster.start {
      throw Invalid(description: "events must be in the order of their starts")
    }
    let column = cluster.add(event)
    state = cluster.state
    let day = (line.upperBound - line.lowerBound - margin).units / 7
    let x = margin.units + day * Int64(event.day) + day * Int64(column) / Int64(cluster.columns)
    return ItemPlacement(
      frame: Rect(
        x: line.lowerBound + Length(units: x), y: length(event.start),
        width: Length(units: day / Int64(cluster.columns)),
        height: length(event.end) - length(event.start)),
      // Frames are relative to the start of the content, so the anchor does not move.
      advance: .zero)
  }

  /// The length of 24 hours, independent of the events.
  func contentLength(itemsEnd: Length, anchor: Length) -> Length { length(24 * 60) }

  func elements(in rect: Rect, of section: DecoratedSection) -> [CustomElement] {
    let hours = (0...24).filter {
      length($0 * 60) + 6 > rect.minY && length($0 * 60) - 6 < rect.maxY
    }
    return hours.flatMap { hour -> [CustomElement] in
      let y = length(hour * 60)
      let start = line.lowerBound + margin
      return [
        CustomElement(
          kind: .decoration("hour"), index: hour,
          frame: Rect(x: start, y: y, width: line.upperBound - start, height: 1), zIndex: -1),
        CustomElement(
          kind: .supplementary("time"), index: hour,
          frame: Rect(x: line.lowerBound, y: y - 6, width: margin - 4, height: 12)),
      ]
    }
  }

  func elements(of cell: PlacedItem) -> [CustomElement] { [] }

  /// The length of a number of minutes.
  private func length(_ minutes: Int) -> Length { .points(Double(minutes) * hourLength / 60) }
}

/// An event with its times in minutes.
private struct Event {
  var day: Int
  var start: Int
  var end: Int

  init?(_ item: LayoutItem) {
    guard let day = item.data?["day"]?.number, let start = item.data?["start"]?.number,
      let end = item.data?["end"]?.number, (0..<7).contains(day), start >= 0, end > start,
      end <= 24
    else { return nil }
    self.day = Int(day)
    self.start = Int(start * 60)
    self.end = max(Int(end * 60), self.start + 1)
  }
}

/// A chain of overlapping events, and the columns that they occupy.
private struct Cluster {
  private var day: Int
  /// The start of the last event.
  private(set) var start: Int
  /// The latest end of an event.
  private var end: Int
  private(set) var columns: Int
  /// The end of the last event of each column.
  private var ends: [Int]

  /// Creates a cluster whose first event is `event`.
  init(_ event: Event) {
    (day, start, end, columns, ends) = (event.day, event.start, event.end, 1, [event.end])
  }

  /// Restores a cluster from a state; from an empty state, one that no event continues.
  init(_ state: [Int64]) {
    let numbers = state.map(Int.init(truncatingIfNeeded:))
    let isKnown = numbers.count > 4
    day = isKnown ? numbers[0] : -1
    (start, end) = isKnown ? (numbers[1], numbers[2]) : (0, 0)
    columns = isKnown ? min(max(numbers[3], 1), Limits.customStateCountMax) : 1
    ends = isKnown ? Array(numbers[4...]) : []
  }

  var state: [Int64] { ([day, start, end, columns] + ends).map(Int64.init) }

  func continues(with event: Event) -> Bool { event.day == day && event.start < end }

  /// Reserves a column for a following event, to count the columns.
  mutating func count(_ event: Event) {
    let column = ends.firstIndex { $0 <= event.start } ?? ends.endIndex
    if column == ends.endIndex { ends.append(event.end) } else { ends[column] = event.end }
    end = max(end, event.end)
    columns = ends.count
  }

  /// Empties the columns after counting them.
  mutating func begin() {
    end = 0
    ends = []
  }

  /// Adds an event to a column. If more events overlap than were counted, this is the last column.
  ///
  /// - Returns: The column's index.
  mutating func add(_ event: Event) -> Int {
    (start, end) = (event.start, max(end, event.end))
    let free = ends.firstIndex { $0 <= event.start } ?? ends.endIndex
    let column = min(free, columns - 1)
    if column == ends.endIndex {
      ends.append(event.end)
    } else {
      ends[column] = max(ends[column], event.end)
    }
    return column
  }
}
