package import LayoutGeometry

/// A flow section's metrics in canonical axes.
///
/// Items fill a line as long as they fit with the minimum gaps; the line is as long as its
/// longest item.
///
/// Source: `UICollectionViewFlowLayout`; CSS `flex-wrap: wrap` breaks lines by the same rule.
package struct FlowPlan: Hashable, Sendable {
  /// The rule for an item's size.
  package enum ItemSize: Hashable, Sendable {
    /// The natural size.
    case natural
    /// The natural proportions, with this length along the main axis.
    case scaled(length: Length)
    /// The same size for all items; preferred lengths are ignored.
    case fixed(Size)
  }

  /// The width that a line may fill.
  package var line: Range<Length>
  package var itemSize: ItemSize
  /// The minimum gap between two items of a line.
  package var interitemSpacing: Length
  /// The gap between two lines.
  package var lineSpacing: Length
  /// The alignment of lines across the container.
  package var lineAlignment: SectionOptions.LineAlignment
  /// The alignment of items within the length of their line.
  package var crossAlignment: SectionOptions.CrossAlignment

  /// Whether items have individual sizes.
  var takesPreferredLengths: Bool { if case .fixed = itemSize { false } else { true } }

  private var lineWidth: Length { line.upperBound - line.lowerBound }

  /// Returns an item's size in a line: no wider than the line.
  func size(of item: LayoutItem) -> Size {
    let natural = item.size
    var size = natural
    switch itemSize {
    case .natural: break
    case .scaled(let length):
      size.height = length
      // No overflow in 64 bits: both factors are at most 2^26.
      let width = natural.width.units * length.units / natural.height.units
      size.width = max(OptionChecks.unit, Length(units: width))
    case .fixed(let fixed): return Size(width: min(fixed.width, lineWidth), height: fixed.height)
    }
    return Size(
      width: min(item.preferredCrossLength ?? size.width, lineWidth),
      height: item.preferredLength ?? size.height)
  }

  func frames(of items: [Size], length: Length, isLast: Bool) -> [Rect] {
    let gaps = Gaps(of: items, plan: self, isLast: isLast)
    var frames: [Rect] = []
    frames.reserveCapacity(items.count)
    var x = line.lowerBound + gaps.leading
    for (index, size) in items.enumerated() {
      let free = length - size.height
      let y =
        switch crossAlignment {
        case .top: Length.zero
        case .center: free.half
        case .bottom: free
        }
      frames.append(Rect(origin: Point(x: x, y: y), size: size))
      x += size.width + gaps.after(index)
    }
    return frames
  }

  /// The free space of a line: before its first item, and after each.
  private struct Gaps {
    var leading = Length.zero
    private var least: Length
    /// The number of leading gaps that are one unit wider.
    private var wider = 0

    init(of items: [Size], plan: FlowPlan, isLast: Bool) {
      least = plan.interitemSpacing
      let taken = items.reduce(Length.zero) { $0 + $1.width }
      let free = plan.lineWidth - taken - plan.interitemSpacing * (items.count - 1)
      switch plan.lineAlignment {
      case .leading: break
      case .center: leading = free.half
      case .trailing: leading = free
      case .justified:
        guard isLast else {
          share(free, among: items.count)
          return
        }
        guard case .fixed = plan.itemSize, let item = items.first else { return }
        // The last line of equal items is spaced like a full one.
        let gap = plan.interitemSpacing
        let full = Int((plan.lineWidth + gap).units / (item.width + gap).units)
        share(plan.lineWidth - item.width * full - gap * (full - 1), among: full)
      }
    }

    private mutating func share(_ free: Length, among count: Int) {
      guard count > 1 else {
        leading = free.half
        return
      }
      let gaps = Int64(count - 1)
      least += Length(units: free.units / gaps)
      wider = Int(free.units % gaps)
    }

    func after(_ index: Int) -> Length { index < wider ? least + OptionChecks.unit : least }
  }
}

extension FlowPlan {
  /// Checks and completes the options of a flow.
  init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    var itemSize = ItemSize.natural
    if let size = try checks.itemSize(options.itemSize) {
      if options.lineLength != nil {
        throw ConfigurationError(.conflict("itemSize", "lineLength"), at: checks.path)
      }
      itemSize = .fixed(size)
    } else if let length = try checks.length(
      options.lineLength, "lineLength", from: OptionChecks.unit)
    {
      itemSize = .scaled(length: length)
    }
    self.init(
      line: try checks.line(inset: inset), itemSize: itemSize,
      interitemSpacing: try checks.length(
        options.minimumInteritemSpacing, "minimumInteritemSpacing") ?? .zero,
      lineSpacing: try checks.length(options.minimumLineSpacing, "minimumLineSpacing") ?? .zero,
      lineAlignment: options.lineAlignment ?? .justified,
      crossAlignment: options.crossAlignment ?? .center)
  }
}
