extension SectionMember {
  /// The members, in the order in which they are decoded and listed.
  package static let all: [SectionMember] = [
    SectionMember(
      "kind", { $0.kind }, { $0.kind = $1 },
      of: .everyKind, default: "`waterfall`",
      "the placement rule: `waterfall`, `flow`, `grid`, `justified`, `carousel` or `circle`"),

    SectionMember(
      "columns", { $0.columns }, { $0.columns = $1 },
      of: columned, default: "\(SectionOptions.columnsDefault)",
      "the number of columns, 1 to 256; in a grid also a list of their weights, 1 to 1000",
      displacing: { $0.minimumColumnWidth = nil }),
    SectionMember(
      "minimumColumnWidth", { $0.minimumColumnWidth }, { $0.minimumColumnWidth = $1 },
      of: columned,
      "instead of `columns`: as many columns of at least this width (1 or more) as fit",
      displacing: { $0.columns = nil }),
    SectionMember(
      "columnSpacing", { $0.columnSpacing }, { $0.columnSpacing = $1 },
      of: columned, default: "0",
      "the gap between columns"),
    SectionMember(
      "lineSpacing", { $0.lineSpacing }, { $0.lineSpacing = $1 },
      of: columned, default: "0",
      "the gap between items of a column"),

    SectionMember(
      "itemLength", { $0.itemLength }, { $0.itemLength = $1 },
      of: .kinds([.waterfall, .carousel]), default: "`aspect`, in a carousel `natural`",
      "`aspect` (in proportion to the natural size), `natural`, or a number"),
    SectionMember(
      "itemWidth", { $0.itemWidth }, { $0.itemWidth = $1 },
      of: .kinds([.carousel]), default: "`natural`",
      """
      `natural`, `aspect` (in proportion to the natural size), a number, or `{"fraction": f, \
      "peek": p}`: f x (width between the insets - p)
      """),
    SectionMember(
      "minimumLength", { $0.minimumLength }, { $0.minimumLength = $1 },
      of: .kinds([.waterfall]), default: "1/64",
      "the minimum length of an item"),
    SectionMember(
      "maximumLength", { $0.maximumLength }, { $0.maximumLength = $1 },
      of: .kinds([.waterfall]), default: "none",
      "the maximum length of an item"),
    SectionMember(
      "tolerance", { $0.tolerance }, { $0.tolerance = $1 },
      of: .kinds([.waterfall]), default: "0",
      "the length by which a column may exceed the shortest and still receive an item"),
    SectionMember(
      "assignment", { $0.assignment }, { $0.assignment = $1 },
      of: .kinds([.waterfall]), default: "`stable`",
      "`stable` keeps items in their columns; `exact` places them as if from scratch"),
    SectionMember(
      "maximumSkew", { $0.maximumSkew }, { $0.maximumSkew = $1 },
      of: .kinds([.waterfall]), default: "two container lengths",
      "the difference between columns beyond which a `stable` waterfall is rebalanced"),
    SectionMember(
      "ties", { $0.ties }, { $0.ties = $1 },
      of: .kinds([.waterfall]), default: "`leading`",
      "the choice among eligible columns: `leading`, `trailing`, or `cursor` (the next one)"),

    SectionMember(
      "itemSize", { $0.itemSize }, { $0.itemSize = $1 },
      of: .kinds([.flow, .circle]), default: "`natural`",
      "the size of all items, in the content's axes, or `natural`; a circle requires a size",
      displacing: { $0.lineLength = nil }),
    SectionMember(
      "lineLength", { $0.lineLength }, { $0.lineLength = $1 },
      of: .kinds([.flow]),
      "instead of `itemSize`: natural sizes scaled to this length",
      displacing: { $0.itemSize = nil }),
    SectionMember(
      "minimumInteritemSpacing", { $0.minimumInteritemSpacing },
      { $0.minimumInteritemSpacing = $1 },
      of: .kinds([.flow]), default: "0",
      "the minimum gap between items of a line"),
    SectionMember(
      "minimumLineSpacing", { $0.minimumLineSpacing }, { $0.minimumLineSpacing = $1 },
      of: .kinds([.flow]), default: "0",
      "the gap between lines"),
    SectionMember(
      "lineAlignment", { $0.lineAlignment }, { $0.lineAlignment = $1 },
      of: .kinds([.flow]), default: "`justified`",
      "`justified` (leftover space goes to the gaps), `leading`, `center` or `trailing`"),
    SectionMember(
      "crossAlignment", { $0.crossAlignment }, { $0.crossAlignment = $1 },
      of: .kinds([.flow, .carousel]), default: "`center`",
      "the alignment of items within their line: `center`, `top` or `bottom`"),

    SectionMember(
      "rowLength", { $0.rowLength }, { $0.rowLength = $1 },
      of: .kinds([.grid]), default: "`square`",
      "the length of rows: `square` (the width of a column), or a number"),

    SectionMember(
      "targetRowLength", { $0.targetRowLength }, { $0.targetRowLength = $1 },
      of: .kinds([.justified]), default: "required",
      "the row length that filled rows approximate"),
    SectionMember(
      "maximumRowLength", { $0.maximumRowLength }, { $0.maximumRowLength = $1 },
      of: .kinds([.justified]), default: "1.5 x target",
      "the maximum length of a `fill` row"),
    SectionMember(
      "spacing", { $0.spacing }, { $0.spacing = $1 },
      of: .kinds([.justified, .carousel]), default: "0",
      "the gap between items, and between rows"),
    SectionMember(
      "lastRow", { $0.lastRow }, { $0.lastRow = $1 },
      of: .kinds([.justified]), default: "`natural`",
      """
      `natural` keeps the target length; `fill` enlarges the row to fill the line; `match` takes \
      the length of the row before, up to the target
      """),

    SectionMember(
      "scrolling", { $0.scrolling }, { $0.scrolling = $1 },
      of: .kinds([.carousel]), default: "`continuous`",
      """
      where scrolling rests: `continuous`, `continuousGroupLeadingBoundary`, `paging`, \
      `groupPaging` or `groupPagingCentered`
      """),

    SectionMember(
      "options", { $0.options }, { $0.options = $1 },
      of: .ownKinds, default: "`{}`",
      "the options of the kind, an object"),

    SectionMember(
      "inset", { $0.inset }, { $0.inset = $1 },
      of: .everyKind, default: "0",
      "the insets around the items: `top`, `left`, `bottom`, `right`"),
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
      "keep the header visible while its section is visible"),
    SectionMember(
      "pinsFooter", { $0.pinsFooter }, { $0.pinsFooter = $1 },
      of: .everyKind, default: "`false`",
      "keep the footer visible while its section is visible"),
    SectionMember(
      "supplementary", { $0.supplementary }, { $0.supplementary = $1 },
      of: .everyKind, default: "none",
      "a list of further elements before and after the items"),
    SectionMember(
      "background", { $0.background }, { $0.background = $1 },
      of: .everyKind, default: "none",
      "a decoration behind the items: its `kind`, `inset` and `zIndex` (-1)"),
    SectionMember(
      "badges", { $0.badges }, { $0.badges = $1 },
      of: .everyKind, default: "none",
      "elements on cells: a list of `kind`, `size`, `anchor`, `offset` and `when`"),
    SectionMember(
      "decorations", { $0.decorations }, { $0.decorations = $1 },
      of: .everyKind, default: "none",
      "decorations of the section or its items: a list of `kind`, `place`, `inset` and `zIndex`"),
    SectionMember(
      "decorators", { $0.decorators }, { $0.decorators = $1 },
      of: .everyKind, default: "none",
      "registered rules for additional elements: a list of `kind` and `options`"),
    SectionMember(
      "appearance", { $0.appearance }, { $0.appearance = $1 },
      of: .everyKind, default: "`fade`",
      "how elements appear and disappear in transitions: `fade`, `slide`, `scale`, or a rule"),
    SectionMember(
      "effect", { $0.effect }, { $0.effect = $1 },
      of: .everyKind, default: "the layout's",
      "the effect on the section's cells, an object; `{\"kind\": \"none\"}` for none"),
  ]

  /// The index in ``all`` of each member, by name.
  static let places = Dictionary(
    uniqueKeysWithValues: all.enumerated().map { ($0.element.name, $0.offset) })

  private static let columned = Readers.kinds([.waterfall, .grid])
}
