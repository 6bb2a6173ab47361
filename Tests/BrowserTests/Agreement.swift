import TestSupport

/// The frames of the same items in a layout and in a browser.
struct Agreement {
  /// Frames in units, mirrored where the layout is right to left: from the edge at which
  /// its content begins.
  var engine: [UnitRect]
  var browser: [UnitRect]
  var engineSize: UnitSize
  var browserSize: UnitSize

  /// The distance between the contents' ends, in units.
  var sizeDeviation: Int64 {
    max(abs(engineSize.width - browserSize.width), abs(engineSize.height - browserSize.height))
  }

  /// The largest distance of two edges of the same item, in units, and the first item that
  /// has it; nil where there are no items.
  ///
  /// - Precondition: There are as many frames as the browser's.
  var deviation: (units: Int64, item: Int)? {
    precondition(engine.count == browser.count)
    var largest: (units: Int64, item: Int)?
    for item in engine.indices {
      let (ours, theirs) = (engine[item], browser[item])
      let units = [
        ours.x - theirs.x, ours.y - theirs.y, ours.maxX - theirs.maxX, ours.maxY - theirs.maxY,
      ].map(abs).max()!
      if units > largest?.units ?? -1 { largest = (units, item) }
    }
    return largest
  }

  /// The comparison with the frames that a documented rounding rule of the browser gives.
  ///
  /// - Parameter frames: One per item.
  func expecting(_ frames: [UnitRect]) -> Agreement {
    var agreement = self
    agreement.engine = frames
    return agreement
  }
}
