import CollectionLayout
import LayoutGeometry
import SumTree

/// An item's measurements for a waterfall.
struct MeasuredItem {
  /// The length along the main axis; at least one unit.
  var length: Length
  /// The column span, from 1 to the section's column count.
  var columnSpan: Int
}

/// Places the items of a waterfall in order.
struct WaterfallPlacer: ItemPlacer {
  private let plan: WaterfallPlan
  private var placement: WaterfallPlacement
  /// Returns the next item's first column, if columns are given; `nil` for an item that chooses
  /// one.
  private let givenColumn: (_ columnSpan: Int) throws -> Int?

  init(
    _ plan: WaterfallPlan,
    givenColumn: @escaping (_ columnSpan: Int) throws -> Int? = { _ in nil }
  ) {
    self.plan = plan
    self.givenColumn = givenColumn
    placement = WaterfallPlacement(plan: plan)
  }

  mutating func take(_ item: LayoutItem, into run: inout WaterfallLeaf) throws {
    let item = plan.measure(item)
    let column: Int
    if let given = try givenColumn(item.columnSpan) {
      column = given
      try placement.advance(column: given, columnSpan: item.columnSpan, length: item.length)
    } else {
      column = try placement.place(length: item.length, columnSpan: item.columnSpan)
    }
    run.append(column: column, columnSpan: item.columnSpan, advance: item.length + plan.lineSpacing)
  }
}

extension WaterfallPlan: TreePlacing {
  /// Measures an item, using its preferred length if it has one.
  func measure(_ item: LayoutItem) -> MeasuredItem {
    let span = columnSpan(of: item)
    return MeasuredItem(
      length: item.preferredLength ?? length(of: item, columnSpan: span), columnSpan: span)
  }

  func fits(_ kept: StoredWaterfall) -> Bool {
    kept.tree.summary.map.columnCount <= tracks.count
  }

  func placer(of items: SectionItems) -> WaterfallPlacer { WaterfallPlacer(self) }

  /// A stable section's columns are given; only its lengths follow from the items. For an
  /// invalid column the item chooses one, so that the difference is found.
  func placer(of items: SectionItems, asIn kept: StoredWaterfall) -> WaterfallPlacer {
    assignment == .stable ? placer(asIn: kept, in: items.session) : WaterfallPlacer(self)
  }

  /// - Parameter formerPlace: Returns the stored place of the item at a place; `nil` for none.
  func placer(
    asIn kept: StoredWaterfall, in session: TreeSession,
    formerPlace: @escaping (Int) throws -> Int? = { $0 }
  ) -> WaterfallPlacer {
    var placed = ElementFinger(kept.tree, in: session)
    var next = 0
    return WaterfallPlacer(self) { columnSpan in
      defer { next += 1 }
      guard let place = try formerPlace(next), try placed.seek(toElement: place) else { return nil }
      let covered = placed.leaf.columnRange(at: placed.index)
      return covered.count == columnSpan && covered.upperBound <= tracks.count
        ? covered.lowerBound : nil
    }
  }

  func kept(_ tree: SumTree<WaterfallLeaf>) -> StoredWaterfall {
    StoredWaterfall(tree: tree, settledSkew: tree.summary.settledSkew(of: self))
  }

  func columnCount(of kept: StoredWaterfall) -> Int { kept.tree.summary.map.columnCount }

  func contentLength(of kept: StoredWaterfall) -> Length {
    kept.tree.summary.contentLength(of: self)
  }

  func columnEnds(of kept: StoredWaterfall) -> [Length] {
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
  /// Stable columns are history; exact ones follow from the items.
  var following: Following {
    switch assignment {
    case .stable: .atOnce(self)
    case .exact: .afterwards(self)
    }
  }
}

extension WaterfallPlan: ReplacingPlacing {
  func follow(
    _ changes: ItemHunks, _ kept: inout StoredWaterfall, _ items: SectionItems
  ) throws -> PlacementChange {
    var reflow = WaterfallReflow(self, kept.tree, items, changes)
    try reflow.run()
    kept.tree = reflow.tree
    return reflow.change
  }
}

extension WaterfallPlan {
  /// Changes the stored section of a content.
  ///
  /// - Returns: The result of `body`, and the content's length.
  func edit<R>(
    _ content: inout SectionContent, _ shapes: TreeShapes,
    _ body: (inout StoredWaterfall) throws -> R
  ) throws -> (change: R, length: Length) {
    var kept = try editable(content, shapes)
    let change = try body(&kept)
    content = SectionContent(kept)
    return (change, contentLength(of: kept))
  }

  /// Applies an edit to a stable section.
  ///
  /// - Parameters:
  ///   - columns: Where an edit is reverted, its record, from whose end the items that choose a
  ///     column take it; `nil` otherwise.
  ///   - view: The layout's view of items.
  /// - Throws: `LimitError`; ``Damage`` if there are no such items; errors of reading nodes.
  func apply(
    _ edit: ItemEdit, _ kept: inout StoredWaterfall, restoring columns: inout UndoRecord?,
    _ view: ItemView, in session: TreeSession
  ) throws -> PlacementChange {
    guard edit.range.upperBound <= kept.itemCount else { throw Damage.misplaced }
    let before = kept.state
    var editor = WaterfallEditor(kept.tree, plan: self, in: session)
    switch edit {
    case .insert(let run, let index):
      try editor.insert(
        (0..<run.count).map { measure(view.item(at: $0, of: run)) }, at: index,
        restoring: &columns)
    case .delete(let range):
      try editor.delete(range)
    case .change(let run, let index):
      try editor.change(
        at: index, to: (0..<run.count).map { measure(view.item(at: $0, of: run)) },
        restoring: &columns)
    case .fill(let run):
      try editor.insert(
        (0..<run.count).map { measure(view.item(at: $0, of: run)) }, at: 0, restoring: &columns)
      kept = self.kept(editor.tree)
      return editor.change
    case .rebalance(let index, let itemCountMax):
      var change = try rebalance(&kept, from: index, placing: itemCountMax, in: session)
      if kept.state != before { change.formerState = before }
      return change
    }
    kept.tree = editor.tree
    kept.state.rebalance?.follow(edit)
    // A section without items has no state; an undo restores it.
    if kept.itemCount == 0 { kept.state = RebalanceState() }
    var change = editor.change
    if kept.state != before { change.formerState = before }
    return change
  }
}

extension WaterfallPlan {
  /// Places all items, in the columns of a content as far as it has them; those that it lacks, or
  /// that span other columns now, choose one.
  ///
  /// - Parameters:
  ///   - former: The content's items, which precede the others; `nil` for none.
  ///   - stored: A session that reads the content.
  /// - Returns: The stored section, and the content's length.
  /// - Throws: As ``layOut(_:into:work:)``.
  func laidOut(
    _ items: SectionItems, extending content: SectionContent, of former: SectionItems?,
    in stored: TreeSession, into sink: any NodeSink
  ) throws -> (content: SectionContent, length: Length) {
    try items.naming {
      var kept = try kept(of: content, items.shapes)
      let placer = placer(asIn: kept, in: stored) { place in
        try former?.placeIfPlaced(ofIndex: items.index(ofPlace: place))
      }
      kept.tree = try tree(of: items, placedBy: placer, into: sink)
      return (SectionContent(kept), contentLength(of: kept))
    }
  }

  /// Places all items in the columns of a history, writing each node once, in constant memory.
  ///
  /// - Returns: The stored section, and the content's length.
  /// - Throws: As ``layOut(_:into:work:)``; ``Damage`` for invalid columns; errors of
  ///   reading the history.
  func laidOut(
    _ items: SectionItems, from history: HistorySource, into sink: (any NodeSink)?
  ) throws -> (content: SectionContent, length: Length) {
    let kept = try ByteReader.read(history.beginSection()) { reader in
      let placer = WaterfallPlacer(self) { columnSpan in
        let column = try history.nextColumn()
        guard (0...(tracks.count - columnSpan)).contains(column) else {
          throw Damage(
            detail: "an item spans \(columnSpan) columns from column \(column) of \(tracks.count)")
        }
        return column
      }
      let kept = try StoredWaterfall(
        tree: tree(of: items, placedBy: placer, into: sink), stateFrom: &reader)
      try reader.expectEnd()
      return kept
    }
    return (SectionContent(kept), contentLength(of: kept))
  }
}
