import CollectionLayout
import LayoutGeometry

extension FlowCase {
  /// The number of items of a fixed size in a full line; nil if sizes differ.
  var fullLineCount: Int? {
    guard case .fixed(let size) = options.itemSize else { return nil }
    let spacing = (options.minimumInteritemSpacing ?? 0).fixed
    let across = min(axes.turned(size).width, available)
    return Int((available + spacing).units / (across + spacing).units)
  }

  /// The flow in CSS.
  var page: BrowserPage {
    var page = BrowserPage()
    let gaps = axes.gapNames
    page.container =
      axes.declarations(across: containerAcross, inset: inset)
      + "display:flex;flex-wrap:wrap;align-content:flex-start;"
      + "flex-direction:\(axes.hasColumns ? "column" : "row");"
      + "\(gaps.across):\((options.minimumInteritemSpacing ?? 0).fixed.css);"
      + "\(gaps.along):\((options.minimumLineSpacing ?? 0).fixed.css);"
      + "justify-content:\(justifyContent);align-items:\(alignItems);"
    // An item wider than the line is clamped to it, and none shrinks.
    page.item =
      "flex:none;max-\(axes.scrollDirection == .vertical ? "width" : "height"):100%;"
    page.items = sizes.map(itemStyle)
    if options.lineAlignment == .justified { justify(&page) }
    return page
  }

  private var justifyContent: String {
    switch options.lineAlignment ?? .justified {
    case .leading: "flex-start"
    case .center: "center"
    case .trailing: "flex-end"
    // Where each line is one item wide, every line is centred.
    case .justified: fullLineCount == 1 ? "center" : "space-between"
    }
  }

  private var alignItems: String {
    switch options.crossAlignment ?? .center {
    case .top: "flex-start"
    case .center: "center"
    case .bottom: "flex-end"
    }
  }

  /// The declarations of an item's size. A size scaled to its line's length is given as that
  /// length and its ratio.
  private func itemStyle(_ natural: Size) -> String {
    guard let length = options.lineLength else { return itemSize(natural).css }
    let name = axes.scrollDirection == .vertical ? "height" : "width"
    return "\(name):\(length.css);aspect-ratio:\(natural.width.points)/\(natural.height.points);"
  }

  /// An item's size, from the rules.
  private func itemSize(_ natural: Size) -> Size {
    if case .fixed(let size) = options.itemSize { return size }
    guard let length = options.lineLength else { return natural }
    let size = axes.turned(natural)
    let across = Length(units: max(1, size.width.units * length.units / size.height.units))
    return axes.turned(Size(width: across, height: length))
  }

  /// Emulates the parts of a justified flow that CSS cannot express.
  private func justify(_ page: inout BrowserPage) {
    if let count = fullLineCount {
      // The last line has a full line's gaps: invisible items replace the missing ones.
      let missing = (count - sizes.count % count) % count
      let across = min(axes.turned(itemSize(sizes[0])).width, available)
      let style = "flex:none;" + axes.turned(Size(width: across, height: .zero)).css
      page.fillers = Array(repeating: style, count: count == 1 ? 0 : missing)
      return
    }
    // The last line keeps the minimum spacing: an invisible item fills the left-over. It
    // cancels the gap before itself, so that it never begins a line.
    let spacing = (options.minimumInteritemSpacing ?? 0).fixed.css
    page.fillers = [
      "flex:1 1 0px;margin-\(axes.hasColumns ? "block" : "inline")-start:-\(spacing);"
    ]
    // A line of one item is centred; `space-between` would put it at the start.
    page.alone = BrowserPage.Alone(
      edge: axes.scrollDirection == .horizontal ? "top" : axes.isRightToLeft ? "right" : "left",
      style: axes.hasColumns ? "margin-block:auto;" : "margin-inline:auto;")
  }
}
