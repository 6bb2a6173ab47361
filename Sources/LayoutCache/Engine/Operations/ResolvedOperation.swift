import CollectionLayout
import LayoutGeometry
import SumTree

/// An operation with all names resolved: stored in the log and applied to a dataset's trees and
/// its layouts' results, immediately or when they are next opened.
///
/// It refers to items by position, so applying it needs no search for keys. A splice has the state
/// before and after: enough for a layout to catch up without the dataset of that time, to report
/// the change, and to revert it by exchanging the two.
indirect enum ResolvedOperation: Sendable, Equatable {
  case items(ItemSplice)
  case sections(SectionSplice)
  case note(LayoutNote, layout: Int64)

  /// The number of operations for which it counts: one per item that it affects individually.
  var weight: Int {
    switch self {
    case .items(let splice):
      splice.aspect == .place ? splice.before.count + splice.after.count : splice.after.count
    case .sections(let splice): max(1, splice.placedCount)
    case .note(.invalidate(let range, _), _): max(1, range.count)
    case .note: 1
    }
  }

  /// Whether the operation only changes data, and so affects no layout.
  var isOfData: Bool { if case .items(let splice) = self { splice.aspect == .data } else { false } }
}

/// A replacement of items at one place by items at the same or another place.
struct ItemSplice: Sendable, Equatable {
  enum Aspect: UInt8, Sendable {
    /// Items come (none before), go (none after), or move (the same before and after, at two
    /// places; the second is counted without them).
    case place
    /// Items stay in place, and their sizes, spans or measured lengths change.
    case values
    /// Items stay in place, and only their data change, which affects no layout.
    case data
  }

  /// Items in a section.
  struct Side: Sendable, Equatable {
    var section: SectionReference
    var index: Int
    /// The number of collapsed items before the index, which have no place in layouts.
    var skipped = 0
    /// The number of items.
    var count: Int
    /// The number of collapsed ones among them, if the log lacks the items.
    var unknownCollapsed = 0
    /// The items; `nil` without items, or if there are too many for the log. Their data are part of
    /// it unless the splice changes values.
    var run: ItemRun?

    init(_ section: SectionReference, _ index: Int, _ run: ItemRun? = nil) {
      (self.section, self.index, self.run) = (section, index, run)
      count = run?.count ?? 0
    }

    var range: Range<Int> { index..<(index + count) }

    /// The number of collapsed items among them.
    var collapsedCount: Int { run?.items.collapsedCount ?? unknownCollapsed }

    /// The places of the items that are not collapsed.
    var places: Range<Int> { (index - skipped)..<(index - skipped + count - collapsedCount) }

    /// Whether the log lacks the items.
    var isUnknown: Bool { run == nil && count > 0 }

    /// Appends items if they are adjacent.
    ///
    /// - Returns: `false` if they are not.
    mutating func append(_ next: Side) -> Bool {
      guard next.section == section, next.index == range.upperBound, let added = next.run else {
        return false
      }
      count += next.count
      run?.append(added)
      return true
    }
  }

  var aspect: Aspect
  var before: Side
  var after: Side
  /// The only layout that a change of values concerns; `nil` for all.
  var layout: Int64?

  init(_ aspect: Aspect, before: Side, after: Side, layout: Int64? = nil) {
    (self.aspect, self.before, self.after, self.layout) = (aspect, before, after, layout)
  }

  var isMove: Bool { aspect == .place && before.count > 0 && after.count > 0 }

  /// Whether the first item, of mostly one, is hidden in another way after it.
  var changesVisibility: Bool {
    guard let old = before.run?.items, let new = after.run?.items else { return false }
    return old.visibility(at: 0) != new.visibility(at: 0)
  }
}

/// A replacement of a section at one index by a section at the same or another index.
struct SectionSplice: Sendable, Equatable {
  /// A section in the dataset's list.
  struct Side: Sendable, Equatable {
    var index: Int
    var entry: SectionLeaf.Entry

    var reference: SectionReference { SectionReference(index: index, key: entry.key) }
  }

  /// `nil` for a new section.
  var before: Side?
  /// `nil` for a deleted section. Has the key of ``before``, and for a move, its contents; the index
  /// is counted without it.
  var after: Side?
  /// The items that come or go with the section, or that layouts place again because of its new
  /// style; `nil` if there are none, or too many for the log.
  var items: ItemRun?

  var isMove: Bool { if let before, let after { before.index != after.index } else { false } }

  /// Whether the section's style changes.
  var isRestyle: Bool {
    guard let before, let after else { return false }
    return !before.entry.style.isExactly(after.entry.style)
  }

  /// Whether lengths measured for the section's header or footer change.
  var changesLengths: Bool {
    guard let before, let after else { return false }
    return before.entry.supplementaryLengths != after.entry.supplementaryLengths
  }

  /// The number of items that layouts place.
  var placedCount: Int { before == nil || isRestyle ? after?.entry.itemCount ?? 0 : 0 }

  /// Whether the log lacks items that come, go or are placed again.
  var isUnknown: Bool {
    guard items == nil else { return false }
    return placedCount > 0 || after == nil && before?.entry.itemCount ?? 0 > 0
  }
}

/// An operation that changes no items, only one layout.
enum LayoutNote: Sendable, Equatable {
  /// Items are displayed again; by place.
  case invalidate(Range<Int>, section: SectionReference)
  /// Elements of a section, or without one of the layout, are displayed again.
  case invalidateElements([CustomElement.Kind], section: SectionReference?)
  /// The items of a section are placed again, from a place on.
  case rebalance(from: Int, section: SectionReference)
  /// The layout is laid out from scratch.
  case everything
  /// The layout's rebalances are continued by a large instalment.
  case continueRebalance
  /// The measured lengths of the layout's header and footer change.
  case measure(from: SupplementaryLengths, to: SupplementaryLengths)
}

// MARK: - The operations

extension ResolvedOperation {
  static func insert(_ run: ItemRun, at index: Int, of section: SectionReference) -> Self {
    .items(ItemSplice(.place, before: .init(section, index), after: .init(section, index, run)))
  }

  /// - Parameter removed: `nil` if the log should not contain them.
  static func delete(_ range: Range<Int>, of section: SectionReference, removed: ItemRun?) -> Self {
    var before = ItemSplice.Side(section, range.lowerBound, removed)
    before.count = range.count
    return .items(ItemSplice(.place, before: before, after: .init(section, range.lowerBound)))
  }

  /// - Parameter new: The position after the removal.
  static func move(
    _ run: ItemRun, from old: (section: SectionReference, index: Int),
    to new: (section: SectionReference, index: Int)
  ) -> Self {
    .items(
      ItemSplice(
        .place, before: .init(old.section, old.index, run),
        after: .init(new.section, new.index, run)))
  }

  /// - Parameter layout: The only layout that is concerned; `nil` for all.
  static func change(
    _ old: ItemLeaf, to new: ItemLeaf, at index: Int, of section: SectionReference,
    layout: Int64? = nil
  ) -> Self {
    .items(
      ItemSplice(
        .values, before: .init(section, index, ItemRun(old)),
        after: .init(section, index, ItemRun(new)), layout: layout))
  }

  /// - Parameters:
  ///   - items: The items that have the data.
  ///   - old: `nil` if the log should not contain them.
  static func changeData(
    of items: ItemLeaf, from old: ItemDataRun?, to new: ItemDataRun, at index: Int,
    of section: SectionReference
  ) -> Self {
    var before = ItemSplice.Side(section, index, old.map { ItemRun(items, $0) })
    before.count = items.count
    return .items(
      ItemSplice(.data, before: before, after: .init(section, index, ItemRun(items, new))))
  }

  static func insertSection(_ section: SectionReference, style: String?) -> Self {
    let entry = SectionLeaf.Entry(key: section.key, itemCount: 0, style: style)
    return .sections(SectionSplice(after: .init(index: section.index, entry: entry)))
  }

  // form  u8, whose last two bits are the aspect of a splice of items; 3 for others, of which the
  //       third bit is set for a note; then by kind, see below

  func encode(into writer: inout ByteWriter) {
    switch self {
    case .items(let splice): splice.encode(into: &writer)
    case .sections(let splice): splice.encode(into: &writer)
    case .note(let note, let layout): note.encode(of: layout, into: &writer)
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let form = try reader.readUInt8()
    if let aspect = ItemSplice.Aspect(rawValue: form & 3) {
      self = .items(try ItemSplice(aspect, form, from: &reader))
    } else if form & 4 == 0 {
      self = .sections(try SectionSplice(form, from: &reader))
    } else {
      let layout = try reader.readLayout()
      self = .note(try LayoutNote(form, from: &reader), layout: layout)
    }
  }
}

extension ItemSplice {
  // form     u8: the aspect, + 4 with items before, + 8 with items after, + 16 if those from
  //          before (of data: their data) are known, + 32 with data before, + 64 with data after,
  //          + 128 with a layout
  // section, index varint a change of place, by the sides that have items:
  //   after    items, data if 64
  //   before   items, data if 32; not if known: their count varint
  //   both     section and index after, items, data if 32
  // a change of values: the layout's id varint if 128, items after, items before
  // a change of data: items, data after if 64, data before if 32
  //
  // section: index varint, keyLength varint, key UTF-8
  // items:   as in a leaf of the item tree, without a label
  // data:    as in a leaf of the data tree, of those items

  func encode(into writer: inout ByteWriter) {
    func bit(_ value: UInt8, _ isSet: Bool) -> UInt8 { isSet ? value : 0 }
    let hasData = aspect != .values
    writer.writeUInt8(
      aspect.rawValue | bit(4, before.count > 0) | bit(8, after.count > 0)
        | bit(16, before.run != nil) | bit(32, hasData && before.run?.data.isEmpty == false)
        | bit(64, hasData && !isMove && after.run?.data.isEmpty == false) | bit(128, layout != nil))
    let first = before.count > 0 ? before : after
    first.encodePlace(into: &writer)
    switch aspect {
    case .place:
      if isMove {
        after.encodePlace(into: &writer)
      }
      guard let run = first.run else {
        writer.writeCount(first.count)
        return writer.writeCount(first.unknownCollapsed)
      }
      run.items.encode(into: &writer)
      if !run.data.isEmpty { run.data.leaf.encode(into: &writer) }
    case .values:
      if let layout { writer.writeVarint(UInt64(layout)) }
      after.run?.items.encode(into: &writer)
      before.run?.items.encode(into: &writer)
    case .data:
      after.run?.items.encode(into: &writer)
      for run in [after.run, before.run] {
        if let run, !run.data.isEmpty { run.data.leaf.encode(into: &writer) }
      }
    }
  }

  fileprivate init(
    _ aspect: Aspect, _ form: UInt8, from reader: inout ByteReader
  ) throws(ByteError) {
    let place = try Side(placeFrom: &reader)
    self.init(aspect, before: place, after: place)
    func side(
      _ items: ItemLeaf, data bit: UInt8, from reader: inout ByteReader
    ) throws(ByteError) -> Side {
      let data = form & bit != 0 ? try ItemDataRun(of: items.count, from: &reader) : nil
      var side = place
      (side.run, side.count) = (ItemRun(items, data), items.count)
      return side
    }
    let isKnown = form & 16 != 0
    switch (aspect, form & 4 != 0, form & 8 != 0) {
    case (.place, false, true):
      after = try side(reader.readItems(), data: 64, from: &reader)
    case (.place, true, false) where isKnown:
      before = try side(reader.readItems(), data: 32, from: &reader)
    case (.place, true, false):
      before.count = try reader.readItemCount()
      before.unknownCollapsed = try reader.readItemCount()
      guard before.count > 0, before.unknownCollapsed <= before.count else {
        throw reader.malformed("count of a splice")
      }
    case (.place, true, true) where isKnown:
      after = try Side(placeFrom: &reader)
      before = try side(reader.readItems(), data: 32, from: &reader)
      (after.run, after.count) = (before.run, before.count)
    case (.values, true, true) where isKnown:
      if form & 128 != 0 { layout = try reader.readLayout() }
      after = try side(reader.readItems(), data: 0, from: &reader)
      before = try side(reader.readItems(), data: 0, from: &reader)
      // Not compared key by key: both are written with the same keys.
      guard before.count == after.count else { throw reader.malformed("changed items") }
    case (.data, true, true):
      let items = try reader.readItems()
      after = try side(items, data: 64, from: &reader)
      before = try side(items, data: 32, from: &reader)
      if !isKnown { before.run = nil }
    default: throw reader.malformed("form of a splice")
    }
  }
}

extension ItemSplice.Side {
  func encodePlace(into writer: inout ByteWriter) {
    section.encode(into: &writer)
    writer.writeCount(index)
    writer.writeCount(skipped)
  }

  fileprivate init(placeFrom reader: inout ByteReader) throws(ByteError) {
    let section = try SectionReference(from: &reader)
    self.init(section, try reader.readItemCount())
    skipped = try reader.readItemCount()
    guard skipped <= index else { throw reader.malformed("place of a splice") }
  }
}

extension SectionSplice {
  // form    u8: 3, + 8 with a section before, + 16 with one after, + 32 with items, + 64 with their
  //         data
  // for each section: index varint, keyLength varint, key UTF-8, itemCount varint, styleLength
  //         varint (0 for none), style UTF-8, number of measured lengths varint, and for each, by
  //         layout: layout's id varint, lengths as in a section of the section tree
  // items, data  as in a splice of items

  func encode(into writer: inout ByteWriter) {
    let hasData = items?.data.isEmpty == false
    writer.writeUInt8(
      3 | (before == nil ? 0 : 8) | (after == nil ? 0 : 16) | (items == nil ? 0 : 32)
        | (hasData ? 64 : 0))
    for case let side? in [before, after] {
      side.reference.encode(into: &writer)
      writer.writeCount(side.entry.itemCount)
      writer.write(text: side.entry.style ?? "")
      writer.writeCount(side.entry.supplementaryLengths.count)
      for (layout, lengths) in side.entry.supplementaryLengths.sorted(by: { $0.key < $1.key }) {
        writer.writeVarint(UInt64(layout))
        lengths.encode(into: &writer)
      }
    }
    guard let items else { return }
    items.items.encode(into: &writer)
    if hasData { items.data.leaf.encode(into: &writer) }
  }

  fileprivate init(_ form: UInt8, from reader: inout ByteReader) throws(ByteError) {
    guard form < 128, form & 24 != 0, form & 96 != 64 else {
      throw reader.malformed("form of a section's splice")
    }
    if form & 8 != 0 { before = try Side(from: &reader) }
    if form & 16 != 0 { after = try Side(from: &reader) }
    if form & 32 != 0 {
      let items = try reader.readItems()
      let data = form & 64 == 0 ? nil : try ItemDataRun(of: items.count, from: &reader)
      self.items = ItemRun(items, data)
    }
    if let before, let after {
      guard before.entry.key.isExactly(after.entry.key),
        before.entry.itemCount == after.entry.itemCount, !isMove || items == nil
      else { throw reader.malformed("sections of a splice") }
    }
    let itemCount = (before ?? after)?.entry.itemCount
    guard items?.count ?? itemCount == itemCount, before != nil || !isUnknown
    else { throw reader.malformed("items of a section") }
  }
}

extension SectionSplice.Side {
  fileprivate init(from reader: inout ByteReader) throws(ByteError) {
    let section = try SectionReference(from: &reader)
    index = section.index
    entry = SectionLeaf.Entry(key: section.key, itemCount: try reader.readItemCount())
    let style = try reader.readText(limit: Limits.nameBytesMax)
    if !style.isEmpty { entry.style = style }
    for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 3)) {
      let layout = try reader.readLayout()
      entry.supplementaryLengths[layout] = try SupplementaryLengths(from: &reader)
    }
  }
}

extension LayoutNote {
  // form  u8: 7; + 8 rebalance, + 16 everything, + 24 continueRebalance, + 32 measure, + 40 elements
  //       of a section, + 48 elements of the layout; the layout's id varint; section if any
  // invalidate  start varint, count varint
  // rebalance   start varint
  // measure     lengths before and after, as SupplementaryLengths; both may be none
  // elements    count varint, and for each kind: u8 0 supplementary, 1 decoration; name text

  fileprivate func encode(of layout: Int64, into writer: inout ByteWriter) {
    let (number, section): (UInt8, SectionReference?) =
      switch self {
      case .invalidate(_, let section): (0, section)
      case .rebalance(_, let section): (1, section)
      case .everything: (2, nil)
      case .continueRebalance: (3, nil)
      case .measure: (4, nil)
      case .invalidateElements(_, let section): (section == nil ? 6 : 5, section)
      }
    writer.writeUInt8(7 | number << 3)
    writer.writeVarint(UInt64(layout))
    section?.encode(into: &writer)
    switch self {
    case .invalidate(let range, _):
      writer.writeCount(range.lowerBound)
      writer.writeCount(range.count)
    case .rebalance(let start, _): writer.writeCount(start)
    case .everything, .continueRebalance: break
    case .measure(let old, let new):
      old.encode(into: &writer)
      new.encode(into: &writer)
    case .invalidateElements(let kinds, _):
      writer.writeCount(kinds.count)
      for kind in kinds {
        writer.writeUInt8(kind.isDecoration ? 1 : 0)
        writer.write(text: kind.name)
      }
    }
  }

  fileprivate init(_ form: UInt8, from reader: inout ByteReader) throws(ByteError) {
    switch form >> 3 {
    case 0:
      let section = try SectionReference(from: &reader)
      let start = try reader.readItemCount()
      self = .invalidate(start..<(start + (try reader.readItemCount())), section: section)
    case 1:
      let section = try SectionReference(from: &reader)
      self = .rebalance(from: try reader.readItemCount(), section: section)
    case 2: self = .everything
    case 3: self = .continueRebalance
    case 4:
      let old = try SupplementaryLengths(orNoneFrom: &reader)
      self = .measure(from: old, to: try SupplementaryLengths(orNoneFrom: &reader))
    case 5, 6:
      let section = form >> 3 == 5 ? try SectionReference(from: &reader) : nil
      var kinds: [CustomElement.Kind] = []
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 2)) {
        let form = try reader.readUInt8()
        guard form < 2 else { throw reader.malformed("kind of an element") }
        let name = try reader.readText(limit: Limits.nameBytesMax)
        kinds.append(form == 1 ? .decoration(name) : .supplementary(.init(rawValue: name)))
      }
      self = .invalidateElements(kinds, section: section)
    default: throw reader.malformed("note")
    }
  }
}

extension CustomElement.Kind {
  /// Whether elements of the kind are decorations.
  var isDecoration: Bool { if case .decoration = self { true } else { false } }
}

extension SectionReference {
  func encode(into writer: inout ByteWriter) {
    writer.writeCount(index)
    writer.write(text: key)
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    index = try reader.readCount(limit: Limits.sectionsMax)
    key = try reader.readKey()
  }
}

extension ByteReader {
  fileprivate mutating func readItemCount() throws(ByteError) -> Int {
    try readCount(limit: Limits.itemsMax)
  }

  fileprivate mutating func readLayout() throws(ByteError) -> Int64 {
    let id = Int64(try readCount(limit: .max))
    guard id > 0 else { throw malformed("layout") }
    return id
  }

  /// Reads items, which have no label outside a leaf of a tree.
  fileprivate mutating func readItems() throws(ByteError) -> ItemLeaf {
    let items = try ItemLeaf(from: &self)
    guard items.label == 0 else { throw malformed("label") }
    return items
  }
}
