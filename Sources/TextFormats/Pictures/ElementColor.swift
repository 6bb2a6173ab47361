/// The colours of an element in a picture: soft, in its section's hue, and deterministic.
struct ElementColor {
  private let hue: Double
  private let lightness: Double
  private let mark: Picture.Mark?
  /// Whether the picture has marks, so that unmarked elements are dimmed.
  private let isMarked: Bool

  /// - Parameters:
  ///   - key: The key of a cell's item, which determines the shade; `nil` for other elements.
  init(sectionKey: String, key: String?, mark: Picture.Mark?, isMarked: Bool) {
    let shade = key.map { hash($0) } ?? 0
    // A cell differs from its section's hue by at most 50 degrees, so that neighbours differ.
    let turn = key == nil ? 0 : Double(shade % 101) - 50
    hue = (Double(hash(sectionKey) % 360) + turn + 360).truncatingRemainder(dividingBy: 360)
    lightness = key == nil ? 0.85 : 0.79 + Double((shade >> 8) % 11) / 100
    (self.mark, self.isMarked) = (mark, isMarked)
  }

  var background: String { isMarked ? "#f4f4f6" : hex(hue, saturation: 0.35, lightness: 0.95) }

  var fill: String {
    switch mark {
    case .edited: "#f4622c"
    case .moved: "#ffd9a0"
    case nil: isMarked ? "#e9e9ee" : hex(hue, saturation: 0.6, lightness: lightness)
    }
  }

  var line: String {
    switch mark {
    case .edited: "#a83508"
    case .moved: "#e08a1e"
    case nil: isMarked ? "#d3d3da" : hex(hue, saturation: 0.35, lightness: lightness - 0.12)
    }
  }

  var text: String {
    switch mark {
    case .edited: "#ffffff"
    case .moved: "#5d3500"
    case nil: isMarked ? "#9a9aa4" : hex(hue, saturation: 0.45, lightness: 0.22)
    }
  }

  /// Returns the colour as "#rrggbb", which every viewer supports, unlike `hsl()`.
  private func hex(_ hue: Double, saturation: Double, lightness: Double) -> String {
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

/// Returns an FNV-1a hash, finished with a multiplication that spreads similar keys, such as
/// years, over the circle. Swift's hash differs between runs.
private func hash(_ text: String) -> UInt32 {
  var hash: UInt32 = 2_166_136_261
  for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
  hash = (hash ^ (hash >> 15)) &* 2_246_822_519
  return hash ^ (hash >> 13)
}
