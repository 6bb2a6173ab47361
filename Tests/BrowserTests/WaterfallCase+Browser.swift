import CollectionLayout
import LayoutGeometry
import TestSupport

extension WaterfallCase {
  /// The browser's frames for the engine's columns.
  ///
  /// An edge between `1fr` tracks is rounded down by both, but the browser adds the tracks up
  /// in single precision: an edge on a whole unit may come out just below it, and then is a
  /// unit before the engine's.
  func browserFrames(of frames: [UnitRect]) -> [UnitRect] {
    let (ours, theirs) = (engineTracks, browserTracks)
    let starts = Dictionary(
      uniqueKeysWithValues: zip(ours, theirs).map { ($0.lowerBound, $1.lowerBound) })
    let ends = Dictionary(
      uniqueKeysWithValues: zip(ours, theirs).map { ($0.upperBound, $1.upperBound) })
    return frames.map { frame in
      var frame = frame
      if axes.scrollDirection == .vertical {
        let end = ends[frame.maxX] ?? frame.maxX
        frame.x = starts[frame.x] ?? frame.x
        frame.width = end - frame.x
      } else {
        let end = ends[frame.maxY] ?? frame.maxY
        frame.y = starts[frame.y] ?? frame.y
        frame.height = end - frame.y
      }
      return frame
    }
  }

  /// The units shared by the columns.
  var sharedUnits: Int64 { available.units - Int64(columnCount - 1) * spacingUnits }

  private var spacingUnits: Int64 { (options.columnSpacing ?? 0).fixed.units }

  private var leadingUnits: Int64 {
    (axes.scrollDirection == .vertical ? inset.left : inset.top).units
  }

  /// The columns across the container, from the rules: each edge is rounded down.
  private var engineTracks: [Range<Int64>] {
    let count = Int64(columnCount)
    return (0..<count).map { column in
      let start = leadingUnits + column * spacingUnits
      return (start + column * sharedUnits / count)..<(start + (column + 1) * sharedUnits / count)
    }
  }

  /// The columns in a browser: each is as wide as a share in single precision plus the
  /// remainder of the previous one, rounded down. Derived empirically: Chromium's tracks follow
  /// from this rule, all 8,400 of 400 random grids.
  private var browserTracks: [Range<Int64>] {
    let share = Float(sharedUnits) / Float(columnCount)
    var rest: Float = 0
    var start = leadingUnits
    return (0..<columnCount).map { _ in
      let whole = (share + rest).rounded(.down)
      rest = share + rest - whole
      let track = start..<(start + Int64(whole))
      start = track.upperBound + spacingUnits
      return track
    }
  }
}
