/// The source of a store's random numbers: keys of hashes, identities and numbers of files,
/// incarnations. Tests inject a seeded one.
package struct RandomSource: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  package init(draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  package func next() -> UInt64 { draw() }

  /// The system's source.
  package static let system = RandomSource { .random(in: .min ... .max) }

  package func number<N: FixedWidthInteger>(in range: ClosedRange<N>) -> N {
    var source = self
    return .random(in: range, using: &source)
  }

  /// Returns random bytes, from one number for each 8.
  package func bytes(_ count: Int) -> [UInt8] {
    (0..<(count + 7) / 8).flatMap { _ in withUnsafeBytes(of: next()) { [UInt8]($0) } }
      .prefix(count).map(\.self)
  }

  /// Returns a new incarnation.
  package func incarnation() -> HistoryNumber {
    HistoryNumber(rawValue: number(in: 0 ... .max))
  }
}
