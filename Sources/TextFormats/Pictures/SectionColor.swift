/// The colours of a section in a picture: soft, and the same for a key each time.
struct SectionColor {
  private let hue: Double

  init(key: String) {
    // FNV-1a, finished with a multiplication that spreads neighbouring keys, such
    // as years, over the circle. Swift's own hash differs from run to run.
    var hash: UInt32 = 2_166_136_261
    for byte in key.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    hash = (hash ^ (hash >> 15)) &* 2_246_822_519
    hash ^= hash >> 13
    hue = Double(hash % 360)
  }

  var background: String { hex(saturation: 0.35, lightness: 0.95) }
  var fill: String { hex(saturation: 0.45, lightness: 0.85) }
  var line: String { hex(saturation: 0.35, lightness: 0.70) }
  var text: String { hex(saturation: 0.45, lightness: 0.28) }

  /// The colour as "#rrggbb", which every viewer knows, unlike `hsl()`.
  private func hex(saturation: Double, lightness: Double) -> String {
    let chroma = (1 - abs(2 * lightness - 1)) * saturation
    let sextant = hue / 60
    let second = chroma * (1 - abs(sextant.truncatingRemainder(dividingBy: 2) - 1))
    let (red, green, blue) =
      switch Int(sextant) {
      case 0: (chroma, second, 0.0)
      case 1: (second, chroma, 0.0)
      case 2: (0.0, chroma, second)
      case 3: (0.0, second, chroma)
      case 4: (second, 0.0, chroma)
      default: (chroma, 0.0, second)
      }
    let digits = [red, green, blue].map { part in
      let value = Int(((part + lightness - chroma / 2) * 255).rounded())
      return (value < 16 ? "0" : "") + String(value, radix: 16)
    }
    return "#" + digits.joined()
  }
}
