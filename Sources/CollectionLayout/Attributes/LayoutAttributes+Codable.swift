import LayoutGeometry

// The JSON of one element, as `layoutcache query --json` prints it:
//
//     {"category":"cell","key":"a","section":0,"sectionKey":"1997","item":4,
//      "frame":{"x":8,"y":52,"width":183,"height":244}}
//
// `section` and `sectionKey` are absent for an element of the whole layout. `zIndex` 0, `alpha` 1,
// `hidden` false, no column, no transform and no values are omitted. An affine transform is `transform`, any
// other `transform3D`. The frame of a transformed element is its bounding box, from which the
// rectangle before the transform can't be recovered; `untransformedFrame` has it.

extension LayoutAttributes: Codable {
  private enum CodingKeys: String, CodingKey {
    case category, kind, key, sectionKey, frame, untransformedFrame, zIndex, alpha, hidden
    case transform, transform3D, column, values
  }

  private enum CategoryName: String, Codable { case cell, supplementary, decoration }

  /// Decodes an element; missing members have their defaults.
  ///
  /// - Throws: `DecodingError`, also for a transformed element without `untransformedFrame`,
  ///   which the command's queries do not print.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let transform3D =
      try values.decodeIfPresent(Transform3D.self, forKey: .transform3D)
      ?? values.decodeIfPresent(Transform.self, forKey: .transform).map(Transform3D.init(affine:))
      ?? .identity
    let (category, indexPath) = (try Self.category(values), try IndexPath(from: decoder))
    if indexPath.isOfLayout, values.contains(.key) || values.contains(.sectionKey) {
      throw DecodingError.dataCorruptedError(
        forKey: .category, in: values, debugDescription: "'section' is missing")
    }
    self.init(
      category: category, indexPath: indexPath,
      sectionKey: indexPath.isOfLayout ? "" : try values.decode(String.self, forKey: .sectionKey),
      frame: try values.decode(
        Rect.self, forKey: transform3D.isIdentity ? .frame : .untransformedFrame),
      zIndex: try values.decodeIfPresent(Int.self, forKey: .zIndex) ?? 0,
      column: try values.decodeIfPresent(Int.self, forKey: .column))
    self.transform3D = transform3D
    alpha = try values.decodeIfPresent(Double.self, forKey: .alpha) ?? 1
    isHidden = try values.decodeIfPresent(Bool.self, forKey: .hidden) ?? false
    self.values =
      try values.decodeIfPresent([String: ConfigurationValue].self, forKey: .values) ?? [:]
  }

  /// Encodes the element, omitting members at their defaults.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch category {
    case .cell(let key):
      try values.encode(CategoryName.cell, forKey: .category)
      try values.encode(key, forKey: .key)
    case .supplementary(let kind):
      try values.encode(CategoryName.supplementary, forKey: .category)
      try values.encode(kind, forKey: .kind)
    case .decoration(let kind):
      try values.encode(CategoryName.decoration, forKey: .category)
      try values.encode(kind, forKey: .kind)
    }
    try indexPath.encode(to: encoder)
    if !indexPath.isOfLayout { try values.encode(sectionKey, forKey: .sectionKey) }
    try values.encode(frame, forKey: .frame)
    if zIndex != 0 { try values.encode(zIndex, forKey: .zIndex) }
    if alpha != 1 { try values.encode(alpha, forKey: .alpha) }
    if isHidden { try values.encode(true, forKey: .hidden) }
    try values.encodeIfPresent(column, forKey: .column)
    if !self.values.isEmpty { try values.encode(self.values, forKey: .values) }
    if transform3D.isIdentity { return }
    try values.encode(untransformedFrame, forKey: .untransformedFrame)
    if let transform = transform3D.affine {
      try values.encode(transform, forKey: .transform)
    } else {
      try values.encode(transform3D, forKey: .transform3D)
    }
  }

  private static func category(
    _ values: KeyedDecodingContainer<CodingKeys>
  ) throws -> Category {
    switch try values.decode(CategoryName.self, forKey: .category) {
    case .cell: .cell(key: try values.decode(String.self, forKey: .key))
    case .supplementary:
      .supplementary(kind: try values.decode(SupplementaryKind.self, forKey: .kind))
    case .decoration: .decoration(kind: try values.decode(String.self, forKey: .kind))
    }
  }
}

extension LayoutAttributes: CustomStringConvertible {
  /// The category, the index path and the frame:
  /// "cell 'a' at 0.4 (x 8, y 52, 183 x 244)", "header at 0 (x 0, y 0, 390 x 44)".
  public var description: String {
    let name =
      switch category {
      case .cell(let key): "cell '\(key)'"
      case .supplementary(let kind): kind.rawValue
      case .decoration(let kind): "decoration '\(kind)'"
      }
    return "\(name) at \(indexPath) \(frame)"
  }
}
