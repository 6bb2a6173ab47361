package import LayoutCache

// Answers to queries consist mostly of elements, and encoding them took most of the time. So
// elements with the default appearance are encoded here byte by byte, in the form given by
// `ElementAnswer.fields`, which encodes all others. A test compares the two.

extension JSONWriter {
  /// Appends the array of a page's elements, with their items' data if requested.
  mutating func value(_ elements: [LayoutAttributes], _ data: ElementsData?) {
    beginArray()
    values(of: elements, data)
    endArray()
  }

  /// Appends a page's elements to an array already begun, up to the first one that exceeds
  /// ``bytesMax``.
  ///
  /// - Returns: The number of elements appended; at least 1, unless there are none.
  @discardableResult
  package mutating func values(
    of elements: some Collection<LayoutAttributes>, _ data: ElementsData?
  ) -> Int {
    // The list is computed, so it is created once for all elements that need it.
    lazy var fields = ElementAnswer.fields
    for (index, element) in elements.enumerated() {
      let data = data?.data[index]
      if element.isPlain {
        var text = ElementText(element, data)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.bytesMax) { buffer in
          value(utf8: UnsafeBufferPointer(rebasing: buffer[..<text.write(to: buffer)]))
        }
      } else {
        value(ElementAnswer(element, data), fields)
      }
      if bytes.count > bytesMax {
        isCut = true
        return index + 1
      }
    }
    return elements.count
  }
}

/// The JSON of one element with the default appearance.
private struct ElementText {
  private let element: LayoutAttributes
  private let name: String
  private let sectionKey: String
  private let data: String
  private var next = 0

  init(_ element: LayoutAttributes, _ data: ItemData?) {
    self.element = element
    if case .cell(let key) = element.category {
      name = key
    } else {
      name = element.representedElementKind ?? ""
    }
    sectionKey = element.sectionKey
    self.data = data?.json ?? ""
  }

  /// An upper bound of the text's length: an escape takes six bytes for one, and numbers and
  /// the members' names together less than 512.
  var bytesMax: Int { 512 + 6 * (name.utf8.count + sectionKey.utf8.count) + data.utf8.count }

  /// - Returns: The number of bytes.
  mutating func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    switch element.category {
    case .cell:
      put("{\"category\":\"cell\",\"key\":", buffer)
      putString(name, buffer)
    case .supplementary:
      put("{\"category\":\"supplementary\",\"kind\":", buffer)
      putString(name, buffer)
    default:
      put("{\"category\":\"decoration\",\"kind\":", buffer)
      putString(name, buffer)
    }
    if !element.indexPath.isOfLayout {
      put(",\"section\":", buffer)
      put(Int64(element.indexPath.section), buffer)
      put(",\"sectionKey\":", buffer)
      putString(sectionKey, buffer)
    }
    if let item = element.indexPath.item {
      put(",\"item\":", buffer)
      put(Int64(item), buffer)
    }
    let frame = element.untransformedFrame
    put(",\"frame\":{\"x\":", buffer)
    put(units: frame.minX.units, buffer)
    put(",\"y\":", buffer)
    put(units: frame.minY.units, buffer)
    put(",\"width\":", buffer)
    put(units: frame.size.width.units, buffer)
    put(",\"height\":", buffer)
    put(units: frame.size.height.units, buffer)
    put("}", buffer)
    if element.zIndex != 0 {
      put(",\"zIndex\":", buffer)
      put(Int64(element.zIndex), buffer)
    }
    if !data.isEmpty {
      put(",\"data\":", buffer)
      putText(data, buffer)
    }
    put("}", buffer)
    return next
  }

  // MARK: - Parts

  private mutating func put(_ text: StaticString, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
    put(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), buffer)
  }

  private mutating func put(
    _ bytes: UnsafeBufferPointer<UInt8>, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    next = buffer[next...].update(fromContentsOf: bytes)
  }

  private mutating func put(_ byte: UInt8, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
    buffer[next] = byte
    next += 1
  }

  /// Writes a JSON string.
  private mutating func putString(
    _ text: String, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isPlain else {
      var escaped: [UInt8] = []
      appendJSONString(text, to: &escaped)
      return escaped.withUnsafeBufferPointer { put($0, buffer) }
    }
    put(UInt8(ascii: "\""), buffer)
    putText(text, buffer)
    put(UInt8(ascii: "\""), buffer)
  }

  private mutating func putText(
    _ text: String, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    var text = text
    text.withUTF8 { put($0, buffer) }
  }

  private mutating func put(_ number: Int64, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
    if number < 0 { put(UInt8(ascii: "-"), buffer) }
    let start = next
    var rest = number.magnitude
    repeat {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), buffer)
      rest /= 10
    } while rest > 0
    var (low, high) = (start, next - 1)
    while low < high {
      buffer.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }

  /// Writes a length in points: the decimals of 1/64 end after six digits.
  private mutating func put(units: Int64, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
    if units < 0 { put(UInt8(ascii: "-"), buffer) }
    let magnitude = units.magnitude
    put(Int64(magnitude >> 6), buffer)
    var rest = UInt32(truncatingIfNeeded: magnitude & 63) * 15_625
    if rest == 0 { return }
    put(UInt8(ascii: "."), buffer)
    var place: UInt32 = 100_000
    while rest > 0 {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / place), buffer)
      rest %= place
      place /= 10
    }
  }
}
