extension Transform: Codable {
  /// The matrix in JSON order: a, b, c, d, tx, ty.
  package var members: [Double] { [a, b, c, d, tx, ty] }

  /// Decodes an array of six numbers: a, b, c, d, tx, ty.
  ///
  /// - Throws: `DecodingError` for an array of another length.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.numbers(count: 6)
    self.init(
      a: members[0], b: members[1], c: members[2], d: members[3],
      tx: members[4], ty: members[5])
  }

  /// Encodes an array of six numbers: a, b, c, d, tx, ty, which must be finite in JSON.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(members) }
}

extension Transform3D: Codable {
  /// The matrix in JSON order: m11 to m44, row by row.
  package var members: [Double] {
    [m11, m12, m13, m14, m21, m22, m23, m24, m31, m32, m33, m34, m41, m42, m43, m44]
  }

  /// Decodes an array of sixteen numbers: m11 to m44, row by row.
  ///
  /// - Throws: `DecodingError` for an array of another length.
  public init(from decoder: any Decoder) throws {
    self.init(members: try decoder.numbers(count: 16))
  }

  /// Creates a transform from sixteen ``members``.
  package init(members: [Double]) {
    self.init()
    (m11, m12, m13, m14) = (members[0], members[1], members[2], members[3])
    (m21, m22, m23, m24) = (members[4], members[5], members[6], members[7])
    (m31, m32, m33, m34) = (members[8], members[9], members[10], members[11])
    (m41, m42, m43, m44) = (members[12], members[13], members[14], members[15])
  }

  /// Encodes an array of sixteen numbers: m11 to m44, row by row, which must be finite in JSON.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(members) }
}

extension Transform: CustomStringConvertible {
  /// "identity", or the matrix: "[1.5, 0.0, 0.0, 1.5, 0.0, 0.0]".
  public var description: String { isIdentity ? "identity" : "\(members)" }
}

extension Transform3D: CustomStringConvertible {
  /// "identity"; for an affine transform the description of ``Transform``; otherwise the
  /// matrix, row by row: "[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, ...]".
  public var description: String { isIdentity ? "identity" : affine?.description ?? "\(members)" }
}

extension Encoder {
  /// Encodes numbers as an array; minus zero, which results from rotations, as 0.
  fileprivate func encode(_ numbers: [Double]) throws {
    var values = unkeyedContainer()
    for number in numbers { try values.encode(number == 0 ? 0 : number) }
  }
}

extension Decoder {
  /// Decodes an array of `count` numbers.
  fileprivate func numbers(count: Int) throws -> [Double] {
    var values = try unkeyedContainer()
    var numbers: [Double] = []
    while numbers.count < count { numbers.append(try values.decode(Double.self)) }
    if values.isAtEnd { return numbers }
    throw DecodingError.dataCorruptedError(
      in: values, debugDescription: "this transform needs \(count) numbers")
  }
}
