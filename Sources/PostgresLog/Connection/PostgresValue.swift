/// A parameter of a statement, sent in PostgreSQL's binary format: numbers in network byte order,
/// one-dimensional arrays after a header.
///
/// Source: the `*_send` functions of PostgreSQL's `src/backend/utils/adt`, for arrays
/// `array_send` in `arrayfuncs.c`.
enum PostgresValue {
  case null
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case text(String)
  case bytes([UInt8])
  /// 16 bytes.
  case uuid([UInt8])
  case int64s([Int64])
  case byteStrings([[UInt8]?])

  /// The object identifier of the type; 0 lets the server infer it.
  ///
  /// Source: PostgreSQL's `src/include/catalog/pg_type.dat`.
  var type: UInt32 {
    switch self {
    case .null: 0
    case .bool: 16
    case .int32: 23
    case .int64: 20
    case .double: 701
    case .text: 25
    case .bytes: 17
    case .uuid: 2950
    case .int64s: 1016
    case .byteStrings: 1001
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// Appends the value's bytes; none for NULL.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int32(let number): bytes.append(bigEndian: number)
    case .int64(let number): bytes.append(bigEndian: number)
    case .double(let number): bytes.append(bigEndian: number.bitPattern)
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .bytes(let string): bytes.append(contentsOf: string)
    case .uuid(let name):
      precondition(name.count == 16, "a name has 16 bytes")
      bytes.append(contentsOf: name)
    case .int64s(let numbers):
      Self.encodeArray(of: 20, numbers, into: &bytes) { $1.append(bigEndian: $0, withSize: true) }
    case .byteStrings(let strings):
      Self.encodeArray(of: 17, strings, into: &bytes) { string, bytes in
        bytes.append(bigEndian: Int32(string?.count ?? -1))
        if let string { bytes.append(contentsOf: string) }
      }
    }
  }

  // dimensions    Int32, 1; 0 for an empty array, which ends after the type
  // has NULLs     Int32, ignored by the server
  // type          of an element
  // count         Int32
  // lower bound   Int32, 1
  // elements      size as Int32, -1 for NULL, then that many bytes

  private static func encodeArray<Element>(
    of type: UInt32, _ elements: [Element], into bytes: inout [UInt8],
    _ encode: (Element, inout [UInt8]) -> Void
  ) {
    bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: type)
    if elements.isEmpty { return }
    bytes.append(bigEndian: Int32(elements.count))
    bytes.append(bigEndian: Int32(1))
    for element in elements { encode(element, &bytes) }
  }
}

extension [UInt8] {
  fileprivate mutating func append<Number: FixedWidthInteger>(
    bigEndian number: Number, withSize: Bool = false
  ) {
    if withSize { append(bigEndian: Int32(Number.bitWidth / 8)) }
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
