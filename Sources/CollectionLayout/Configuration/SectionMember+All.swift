extension SectionMember {
  /// The members, in the order in which they are decoded and listed.
  package static let all: [SectionMember] = [
    SectionMember(
      "kind", \.kind, of: .everyKind, default: "`waterfall`",
      "how the items are placed: `waterfall`, `flow`, `grid`, `justified` or `circle`"),

    SectionMember(
      "columns", \.columns, of: columned, default: "\(SectionOptions.columnsDefault)",
      "how many columns there are, 1 to 256", displacedIf: { $0.minimumColumnWidth != nil }),
    SectionMember(
      "minimumColumnWidth", \.minimumColumnWidth, of: columned,
      "in place of `columns`: as many as fit of at least this width, at least 1",
      displacedIf: { $0.columns != nil }),
    SectionMember(
      "columnSpacing", \.columnSpacing, of: columned, default: "0",
      "the gap between two columns"),
    SectionMember(
      "lineSpacing", \.lineSpacing, of: columned, default: "0",
      "the gap between two items of a column"),

    SectionMember(
      "itemLength", \.itemLength, of: .kinds([.waterfall]), default: "`aspect`",
      "`aspect`, in proportion to the natural size; `natural`; or a number"),
    SectionMember(
      "minimumLength", \.minimumLength, of: .kinds([.waterfall]), default: "1/64",
      "the least length of an item"),
    SectionMember(
      "maximumLength", \.maximumLength, of: .kinds([.waterfall]), default: "none",
      "the greatest length of an item"),
    SectionMember(
      "tolerance", \.tolerance, of: .kinds([.waterfall]), default: "0",
      "how much longer than the shortest a column may be to be taken"),
    SectionMember(
      "assignment", \.assignment, of: .kinds([.waterfall]), default: "`stable`",
      "`stable`: items keep their columns; `exact`: all are as if placed from the first"),
    SectionMember(
      "maximumSkew", \.maximumSkew, of: .kinds([.waterfall]), default: "two container lengths",
      "how far the columns of a `stable` one may differ before they are rebalanced"),
    SectionMember(
      "ties", \.ties, of: .kinds([.waterfall]), default: "`leading`",
      "of columns that may be taken `leading` takes the first, `cursor` the next in turn"),

    SectionMember(
      "itemSize", \.itemSize, of: .kinds([.flow, .circle]), default: "`natural`",
      "the size of all items in the content's axes, or `natural`; a circle needs a size",
      displacedIf: { $0.lineLength != nil }),
    SectionMember(
      "lineLength", \.lineLength, of: .kinds([.flow]),
      "in place of `itemSize`: natural sizes scaled to this length",
      displacedIf: { $0.itemSize != nil }),
    SectionMember(
      "minimumInteritemSpacing", \.minimumInteritemSpacing, of: .kinds([.flow]), default: "0",
      "the least gap between two items of a line"),
    SectionMember(
      "minimumLineSpacing", \.minimumLineSpacing, of: .kinds([.flow]), default: "0",
      "the gap between two lines"),
    SectionMember(
      "lineAlignment", \.lineAlignment, of: .kinds([.flow]), default: "`justified`",
      "`justified`: the gaps share what is left over; or `leading`, `center`, `trailing`"),
    SectionMember(
      "crossAlignment", \.crossAlignment, of: .kinds([.flow]), default: "`center`",
      "where an item stands in its line's length: `center`, `top` or `bottom`"),

    SectionMember(
      "rowLength", \.rowLength, of: .kinds([.grid]), default: "`square`",
      "how long rows are: `square`, as a column is wide, or a number"),

    SectionMember(
      "targetRowLength", \.targetRowLength, of: .kinds([.justified]), default: "must be given",
      "rows come as near to it as filling them allows"),
    SectionMember(
      "maximumRowLength", \.maximumRowLength, of: .kinds([.justified]), default: "1.5 x target",
      "how long a `fill` row may become"),
    SectionMember(
      "spacing", \.spacing, of: .kinds([.justified]), default: "0",
      "the gap between two items and between two rows"),
    SectionMember(
      "lastRow", \.lastRow, of: .kinds([.justified]), default: "`natural`",
      "`natural` keeps the target length; `fill` grows until it fills the line"),

    SectionMember(
      "options", \.options, of: .ownKinds, default: "`{}`", "an object that the kind is made from"),

    SectionMember(
      "inset", \.inset, of: .everyKind, default: "0",
      "what surrounds the items: `top`, `left`, `bottom`, `right`"),
    SectionMember("header", \.header, of: .everyKind, default: "0", "the header's length"),
    SectionMember("footer", \.footer, of: .everyKind, default: "0", "the footer's length"),
    SectionMember(
      "pinsHeader", \.pinsHeader, of: .everyKind, default: "`false`",
      "keep the header in sight while its section is"),
    SectionMember(
      "pinsFooter", \.pinsFooter, of: .everyKind, default: "`false`",
      "keep the footer in sight while its section is"),
    SectionMember(
      "background", \.background, of: .everyKind, default: "none",
      "a decoration behind the items: its `kind`, `inset` and `zIndex` (-1)"),
  ]

  /// Where in ``all`` a member stands, by name.
  static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  private static let columned = Readers.kinds([.waterfall, .grid])
}
