package import LayoutCache

extension LayoutAttributes {
  /// The fields of an element. JSON omits members at their default, and empty `values`. An affine transform is an
  /// array of a, b, c, d, tx and ty, any other one an array of m11 to m44 in rows.
  package static var fields: [AnswerField<Self>] {
    [
      .json("category", \.categoryName),
      .optional("key", \.key),
      .optional("kind", \.representedElementKind),
      .optional("section") { $0.indexPath.isOfLayout ? nil : $0.indexPath.section },
      .table(.text("element")) { $0.representedElementKind ?? $0.categoryName },
      .optional("sectionKey", as: .text("section")) {
        $0.indexPath.isOfLayout ? nil : $0.sectionKey
      },
      .optional("item", as: .number("item"), \.indexPath.item),
      .table(.text("key"), \.key.text),
      .json("frame", \.frame),
      .table(.number("x"), \.frame.minX.text),
      .table(.number("y"), \.frame.minY.text),
      .table(.number("width"), \.frame.size.width.text),
      .table(.number("height"), \.frame.size.height.text),
      .optional("zIndex") { $0.zIndex == 0 ? nil : $0.zIndex },
      .table(.number("z"), \.zIndex.text),
      .optional("alpha") { $0.alpha == 1 ? nil : $0.alpha },
      .optional("hidden") { $0.isHidden ? true : nil },
      .optional("transform") { $0.transform3D.isIdentity ? nil : $0.transform3D.affine?.members },
      .optional("transform3D") { $0.transform3D.affine == nil ? $0.transform3D.members : nil },
      .optional("values") { $0.values.isEmpty ? nil : ConfigurationValue.object($0.values) },
      .table(.text("look"), \.appearanceDescription),
    ]
  }

  /// The fields of an element queried individually.
  package static var fieldsInDetail: [AnswerField<Self>] {
    fields + [
      .optional("column", as: .number("column"), \.column),
      .table(.number("section number")) {
        $0.indexPath.isOfLayout ? "" : $0.indexPath.section.text
      },
      .table(.text("category"), \.categoryName),
    ]
  }

  /// The item's key; `nil` for elements other than cells.
  private var key: String? { if case .cell(let key) = category { key } else { nil } }

  private var categoryName: String {
    switch category {
    case .cell: "cell"
    case .supplementary: "supplementary"
    case .decoration: "decoration"
    }
  }
}

extension ConfigurationValue: AnswerValue {
  package var text: String { json }
  package func write(to json: inout JSONWriter) { json.value(json: self.json) }
}

extension Transform {
  fileprivate var members: [Double] { [a, b, c, d, tx, ty].map(\.withoutMinusZero) }
}

extension Transform3D {
  fileprivate var members: [Double] {
    [
      m11, m12, m13, m14, m21, m22, m23, m24,
      m31, m32, m33, m34, m41, m42, m43, m44,
    ].map(\.withoutMinusZero)
  }
}

extension Double {
  /// The number, with 0 for minus zero, which results from rotations.
  fileprivate var withoutMinusZero: Double { self == 0 ? 0 : self }
}
