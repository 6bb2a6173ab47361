import CollectionLayout
import LayoutGeometry
import SumTree

/// An item as a waterfall places it.
struct MeasuredItem {
  /// The length along the main axis; at least one unit.
  var length: Length
  /// The columns that it covers, 1 to the section's.
  var columnSpan: Int
}

/// Places the items of a waterfall one after the other.
struct WaterfallPlacer: ItemPlacer {
  private let plan: WaterfallPlan
  private var placement: WaterfallPlacement
  /// The items of a stable section, whose columns are data.
  private var placed: ElementFinger<WaterfallLeaf, ElementOffset<WaterfallLeaf>>?
  private var next = 0

  init(
    _ plan: WaterfallPlan,
    asIn placed: ElementFinger<WaterfallLeaf, ElementOffset<WaterfallLeaf>>? = nil
  ) {
    self.plan = plan
    self.placed = placed
    placement = WaterfallPlacement(plan: plan)
  }

  mutating func take(_ item: LayoutItem, into run: inout WaterfallLeaf) throws {
    let item = plan.measure(item)
    let column: Int
    if let given = try givenColumn(columnSpan: item.columnSpan) {
      column = given
      try placement.advance(column: given, columnSpan: item.columnSpan, length: item.length)
    } else {
      column = try placement.place(length: item.length, columnSpan: item.columnSpan)
    }
    run.append(
      column: column, columnSpan: item.columnSpan, advance: item.length + plan.lineSpacing)
    next += 1
  }

  /// The column that the next item has, if it can have that.
  private mutating func givenColumn(columnSpan: Int) throws -> Int? {
    guard try placed?.seek(toElement: next) == true, let placed else { return nil }
    let covered = placed.leaf.columnRange(at: placed.index)
    return covered.count == columnSpan && covered.upperBound <= plan.tracks.count
      ? covered.lowerBound : nil
  }
}

extension WaterfallPlan: TreePlacing {
  /// An item as it is placed: with its measured length, where it has one.
  func measure(_ item: LayoutItem) -> MeasuredItem {
    let span = columnSpan(of: item)
    return MeasuredItem(
      length: item.preferredLength ?? length(of: item, columnSpan: span), columnSpan: span)
  }

  func fits(_ kept: KeptWaterfall) -> Bool {
    kept.tree.summary.map.columnCount <= tracks.count
  }

  func placer(of items: SectionItems) -> WaterfallPlacer { WaterfallPlacer(self) }

  /// A stable section's columns are data; only its lengths follow from the items.
  func placer(of items: SectionItems, asIn kept: KeptWaterfall) -> WaterfallPlacer {
    assignment == .stable
      ? WaterfallPlacer(self, asIn: ElementFinger(kept.tree, in: items.session))
      : WaterfallPlacer(self)
  }

  func kept(_ tree: SumTree<WaterfallLeaf>) -> KeptWaterfall {
    KeptWaterfall(tree: tree, settledSkew: tree.summary.settledSkew(of: self))
  }

  func columnCount(of kept: KeptWaterfall) -> Int { kept.tree.summary.map.columnCount }

  func contentLength(of kept: KeptWaterfall) -> Length {
    kept.tree.summary.contentLength(of: self)
  }

  func columnEnds(of kept: KeptWaterfall) -> [Length] {
    kept.tree.summary.columnEnds(of: self)
  }

  func difference(
    ofElement index: Int, of stored: WaterfallLeaf, from fresh: WaterfallLeaf, number: Int
  ) -> String {
    let (covered, wanted) = (stored.columnRange(at: index), fresh.columnRange(at: index))
    if covered.count != wanted.count || covered.upperBound > tracks.count {
      return "item \(number) covers columns \(covered)"
    }
    let (length, wantedLength) = (stored.advances[index], fresh.advances[index])
    if length != wantedLength {
      return "item \(number) has length \(Length(units: length) - lineSpacing) "
        + "instead of \(Length(units: wantedLength) - lineSpacing)"
    }
    return
      "item \(number) starts in column \(covered.lowerBound) instead of \(wanted.lowerBound)"
  }
}

extension WaterfallPlan {
  /// Columns that items keep are history; others follow from the items.
  var following: Following {
    switch assignment {
    case .stable: .atOnce(self)
    case .exact: .afterwards(self)
    }
  }
}

extension WaterfallPlan: ReplacingPlacing {
  func follow(
    _ changes: ItemHunks, _ kept: inout KeptWaterfall, _ items: SectionItems
  ) throws -> PlacementChange {
    var reflow = WaterfallReflow(self, kept.tree, items, changes)
    try reflow.run()
    kept.tree = reflow.tree
    return reflow.change
  }
}

extension WaterfallPlan: ImmediatePlacing {
  func apply(
    _ edit: ItemEdit, _ kept: inout KeptWaterfall, _ view: ItemView, in session: TreeSession
  ) throws -> PlacementChange {
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    switch edit {
    case .insert(let run, let index):
      try editor.insert((0..<run.count).map { measure(view.item(at: $0, of: run)) }, at: index)
    case .delete(let range):
      try editor.delete(range)
    case .change(let run, let index):
      try editor.change(
        at: index, to: (0..<run.count).map { measure(view.item(at: $0, of: run)) })
    case .rebalance(let index, let itemCountMax):
      return try rebalance(&kept, from: index, placing: itemCountMax, in: session)
    }
    kept.tree = editor.tree
    kept.rebalance?.follow(edit)
    return editor.change
  }
}
