extension SectionMember {
  /// The members, in the order in which they are decoded and listed.
  package static let all: [SectionMember] = [
    SectionMember(
      "kind", { $0.kind }, { $0.kind = $1 },
      of: .everyKind, default: "`waterfall`",
      "how the items are placed: `waterfall`, `flow`, `grid`, `justified` or `circle`"),

    SectionMember(
      "columns", { $0.columns }, { $0.columns = $1 },
      of: columned, default: "\(SectionOptions.columnsDefault)",
      "how many columns there are, 1 to 256",
      displacing: { $0.minimumColumnWidth = nil }),
    SectionMember(
      "minimumColumnWidth", { $0.minimumColumnWidth }, { $0.minimumColumnWidth = $1 },
      of: columned,
      "in place of `columns`: as many as fit of at least this width, at least 1",
      displacing: { $0.columns = nil }),
    SectionMember(
      "columnSpacing", { $0.columnSpacing }, { $0.columnSpacing = $1 },
      of: columned, default: "0",
      "the gap between two columns"),
    SectionMember(
      "lineSpacing", { $0.lineSpacing }, { $0.lineSpacing = $1 },
      of: columned, default: "0",
      "the gap between two items of a column"),

    SectionMember(
      "itemLength", { $0.itemLength }, { $0.itemLength = $1 },
      of: .kinds([.waterfall]), default: "`aspect`",
      "`aspect`, in proportion to the natural size; `natural`; or a number"),
    SectionMember(
      "minimumLength", { $0.minimumLength }, { $0.minimumLength = $1 },
      of: .kinds([.waterfall]), default: "1/64",
      "the least length of an item"),
    SectionMember(
      "maximumLength", { $0.maximumLength }, { $0.maximumLength = $1 },
      of: .kinds([.waterfall]), default: "none",
      "the greatest length of an item"),
    SectionMember(
      "tolerance", { $0.tolerance }, { $0.tolerance = $1 },
      of: .kinds([.waterfall]), default: "0",
      "how much longer than the shortest a column may be to be taken"),
    SectionMember(
      "assignment", { $0.assignment }, { $0.assignment = $1 },
      of: .kinds([.waterfall]), default: "`stable`",
      "`stable` lets items keep their columns; with `exact` all are as if placed from the first"),
    SectionMember(
      "maximumSkew", { $0.maximumSkew }, { $0.maximumSkew = $1 },
      of: .kinds([.waterfall]), default: "two container lengths",
      "how far the columns of a `stable` one may differ before they are rebalanced"),
    SectionMember(
      "ties", { $0.ties }, { $0.ties = $1 },
      of: .kinds([.waterfall]), default: "`leading`",
      "which of the columns that may be taken: `leading`, `trailing`, or `cursor`, the next"),

    SectionMember(
      "itemSize", { $0.itemSize }, { $0.itemSize = $1 },
      of: .kinds([.flow, .circle]), default: "`natural`",
      "the size of all items in the content's axes, or `natural`; a circle needs a size",
      displacing: { $0.lineLength = nil }),
    SectionMember(
      "lineLength", { $0.lineLength }, { $0.lineLength = $1 },
      of: .kinds([.flow]),
      "in place of `itemSize`: natural sizes scaled to this length",
      displacing: { $0.itemSize = nil }),
    SectionMember(
      "minimumInteritemSpacing", { $0.minimumInteritemSpacing },
      { $0.minimumInteritemSpacing = $1 },
      of: .kinds([.flow]), default: "0",
      "the least gap between two items of a line"),
    SectionMember(
      "minimumLineSpacing", { $0.minimumLineSpacing }, { $0.minimumLineSpacing = $1 },
      of: .kinds([.flow]), default: "0",
      "the gap between two lines"),
    SectionMember(
      "lineAlignment", { $0.lineAlignment }, { $0.lineAlignment = $1 },
      of: .kinds([.flow]), default: "`justified`",
      "with `justified` the gaps share what is left over; or `leading`, `center`, `trailing`"),
    SectionMember(
      "crossAlignment", { $0.crossAlignment }, { $0.crossAlignment = $1 },
      of: .kinds([.flow]), default: "`center`",
      "where an item stands in its line's length: `center`, `top` or `bottom`"),

    SectionMember(
      "rowLength", { $0.rowLength }, { $0.rowLength = $1 },
      of: .kinds([.grid]), default: "`square`",
      "how long rows are: `square`, as a column is wide, or a number"),

    SectionMember(
      "targetRowLength", { $0.targetRowLength }, { $0.targetRowLength = $1 },
      of: .kinds([.justified]), default: "must be given",
      "rows come as near to it as filling them allows"),
    SectionMember(
      "maximumRowLength", { $0.maximumRowLength }, { $0.maximumRowLength = $1 },
      of: .kinds([.justified]), default: "1.5 x target",
      "how long a `fill` row may become"),
    SectionMember(
      "spacing", { $0.spacing }, { $0.spacing = $1 },
      of: .kinds([.justified]), default: "0",
      "the gap between two items and between two rows"),
    SectionMember(
      "lastRow", { $0.lastRow }, { $0.lastRow = $1 },
      of: .kinds([.justified]), default: "`natural`",
      "`natural` keeps the target length; `fill` grows until it fills the line"),

    SectionMember(
      "options", { $0.options }, { $0.options = $1 },
      of: .ownKinds, default: "`{}`",
      "an object that the kind is made from"),

    SectionMember(
      "inset", { $0.inset }, { $0.inset = $1 },
      of: .everyKind, default: "0",
      "what surrounds the items: `top`, `left`, `bottom`, `right`"),
    SectionMember(
      "header", { $0.header }, { $0.header = $1 },
      of: .everyKind, default: "0",
      "the header's length"),
    SectionMember(
      "footer", { $0.footer }, { $0.footer = $1 },
      of: .everyKind, default: "0",
      "the footer's length"),
    SectionMember(
      "pinsHeader", { $0.pinsHeader }, { $0.pinsHeader = $1 },
      of: .everyKind, default: "`false`",
      "keep the header in sight while its section is"),
    SectionMember(
      "pinsFooter", { $0.pinsFooter }, { $0.pinsFooter = $1 },
      of: .everyKind, default: "`false`",
      "keep the footer in sight while its section is"),
    SectionMember(
      "background", { $0.background }, { $0.background = $1 },
      of: .everyKind, default: "none",
      "a decoration behind the items: its `kind`, `inset` and `zIndex` (-1)"),
  ]

  /// Where in ``all`` a member stands, by name.
  static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  private static let columned = Readers.kinds([.waterfall, .grid])
}
