import Foundation

/// A transform about a frame's middle: rows of a 4 by 4 matrix for row vectors, as
/// in CATransform3D, lengths in points.
struct OracleTransform {
  /// m11, m12, …, m44.
  let numbers: [Double]

  static func scale(_ scale: Double) -> OracleTransform {
    OracleTransform(numbers: [scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
  }

  /// A rotation about the x axis or the y axis, seen from 500 points away: the result of
  /// CATransform3DRotate on a transform with only m34 set.
  static func rotation(_ angle: Double, aboutX: Bool) -> OracleTransform {
    let (cosine, sine) = (cos(angle), sin(angle))
    let rotation =
      aboutX
      ? [1, 0, 0, 0, 0, cosine, sine, 0, 0, -sine, cosine, 0, 0, 0, 0, 1]
      : [cosine, 0, -sine, 0, 0, 1, 0, 0, sine, 0, cosine, 0, 0, 0, 0, 1]
    let perspective: [Double] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1.0 / 500, 0, 0, 0, 1]
    return OracleTransform(numbers: product(rotation, perspective))
  }

  /// The smallest frame in whole units that contains the corners of the transformed one, each
  /// edge rounded half up. A corner that is not in front of the eye is projected as if it were just
  /// in front of it.
  func boundingBox(of frame: UnitRect) -> UnitRect {
    var xs: [Int64] = []
    var ys: [Int64] = []
    for (signX, signY) in [(-1.0, -1.0), (1, -1), (-1, 1), (1, 1)] {
      let x = signX * Units.points(frame.width) / 2
      let y = signY * Units.points(frame.height) / 2
      let depth = max(0.01, x * numbers[3] + y * numbers[7] + numbers[15])
      xs.append(edge(frame.x, frame.width, (x * numbers[0] + y * numbers[4] + numbers[12]) / depth))
      ys.append(
        edge(frame.y, frame.height, (x * numbers[1] + y * numbers[5] + numbers[13]) / depth))
    }
    return UnitRect(
      x: xs.min()!, y: ys.min()!, width: xs.max()! - xs.min()!, height: ys.max()! - ys.min()!)
  }

  /// - Parameter distance: Points from the middle.
  private func edge(_ start: Int64, _ length: Int64, _ distance: Double) -> Int64 {
    Units.rounding(points: Units.points(start) + Units.points(length) / 2 + distance)
  }

  /// This one and then another.
  func followed(by next: OracleTransform) -> OracleTransform {
    OracleTransform(numbers: Self.product(numbers, next.numbers))
  }

  private static func product(_ one: [Double], _ other: [Double]) -> [Double] {
    var product = [Double](repeating: 0, count: 16)
    for row in 0..<4 {
      for column in 0..<4 {
        for index in 0..<4 {
          product[4 * row + column] += one[4 * row + index] * other[4 * index + column]
        }
      }
    }
    return product
  }
}

extension OracleElement {
  /// Gives the element a frame before its transform, and the transform.
  mutating func show(_ laidOut: UnitRect, by transform: OracleTransform?) {
    transform3D = transform?.numbers
    untransformed = transform == nil ? nil : laidOut
    frame = transform?.boundingBox(of: laidOut) ?? laidOut
  }

  /// Moves the element, transformed as before.
  mutating func move(to laidOut: UnitRect) {
    show(laidOut, by: transform3D.map(OracleTransform.init(numbers:)))
  }
}
