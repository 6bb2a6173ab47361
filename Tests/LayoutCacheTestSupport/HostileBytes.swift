import SumTree
package import TestSupport

/// Bytes with random changes, some of which use values of the format.
package struct HostileBytes {
  package var bytes: [UInt8]
  /// Numbers from elsewhere in the file, such as ids of nodes.
  package var known: [UInt64] = []

  package init(bytes: [UInt8], known: [UInt64] = []) {
    (self.bytes, self.known) = (bytes, known)
  }

  /// Boundary values of types, limits and counts.
  package static let extremes: [UInt64] = [
    0, 1, 2, 3, 4, 63, 64, 65, 127, 128, 255, 256, 257, 1000, 1023, 1024, 65_535, 65_536,
    1 << 20, 64_000_000, 64_000_001, 1 << 31, 1 << 32, (1 << 38) - 1, 1 << 38, 1 << 40,
    (1 << 40) + 1, 1 << 48, 1 << 50, (1 << 50) + 1, 1 << 51, (1 << 51) + 1, 1 << 52, 1 << 53,
    1 << 59, 1 << 60, 1 << 62, (1 << 63) - 1, 1 << 63, .max - 1, .max,
  ]

  /// Makes a random change.
  ///
  /// - Returns: A description of the change.
  package mutating func change(using generator: inout SeededGenerator) -> String {
    if bytes.isEmpty { bytes = [0] }
    let place = Int.random(in: bytes.indices, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      return "bit of byte \(place)"
    case 1:
      bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
      return "byte \(place) = \(bytes[place])"
    case 2:
      bytes[place] = bytes[place] &+ (generator.oneIn(2) ? 1 : 255)
      return "byte \(place) = \(bytes[place])"
    case 3:
      bytes.remove(at: place)
      return "without byte \(place)"
    case 4:
      let end = min(bytes.count, place + Int.random(in: 1...20, using: &generator))
      bytes.insert(contentsOf: bytes[place..<end], at: end)
      return "bytes \(place)..<\(end) twice"
    case 5:
      bytes.removeSubrange(place...)
      return "\(place) bytes"
    case 6:
      guard let old = known.randomElement(using: &generator),
        let new = known.randomElement(using: &generator)
      else { return "nothing" }
      return replace(Self.varint(old), with: Self.varint(new), using: &generator)
        ? "\(old) is \(new)" : "no \(old)"
    default:
      let number = Self.extremes.randomElement(using: &generator)!
      var end = place + 1
      while end < bytes.count, bytes[end - 1] >= 0x80 { end += 1 }
      bytes.replaceSubrange(place..<end, with: Self.varint(number))
      return "number \(number) at \(place)"
    }
  }

  private mutating func replace(
    _ old: [UInt8], with new: [UInt8], using generator: inout SeededGenerator
  ) -> Bool {
    guard old.count <= bytes.count else { return false }
    let places = (0...(bytes.count - old.count)).filter {
      bytes[$0..<($0 + old.count)].elementsEqual(old)
    }
    guard let place = places.randomElement(using: &generator) else { return false }
    bytes.replaceSubrange(place..<(place + old.count), with: new)
    return true
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(number)
    return writer.bytes
  }
}
