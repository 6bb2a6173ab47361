/// The summary of a run of elements, which a tree knows without reading them.
///
/// Summaries form a **monoid**. For all summaries `a`, `b`, `c`, writing `a·b`
/// for `a` after `a.append(b)`:
///
/// - identity: `identity·a == a == a·identity`
/// - associativity: `(a·b)·c == a·(b·c)`
/// - homomorphism: the summary of a leaf joined with the next one is the
///   product of the two summaries (see `TreeLeaf`)
///
/// Nothing else is assumed: the product need not commute, and there is no
/// subtraction. Equality must be exact, which rules out floating-point sums.
@usableFromInline package protocol Summary: Sendable, Equatable {
  /// The summary of no elements.
  static var identity: Self { get }

  /// Replaces this summary by its product with that of the elements that
  /// follow.
  mutating func append(_ next: Self)

  /// Whether multiplying this takes a few instructions and no memory: products of several
  /// are then kept besides their factors, because passing over them at once is quicker.
  ///
  /// Law: products of such never trap, not even of summaries that nobody has checked.
  var isQuicklyMultiplied: Bool { get }

  /// Whether this may be the product of summaries that come from a file.
  ///
  /// Called once for each inner node that is loaded. Law: the product of `children` is
  /// accepted. What else is accepted must do no harm, however the children are
  /// multiplied: no sum of theirs may overflow.
  func isProduct(of children: ContiguousArray<Self>) -> Bool

  /// Appends this summary's bytes.
  ///
  /// Law: `init(from:)` reads exactly these bytes and returns an equal value.
  func encode(into writer: inout ByteWriter)

  /// Reads a summary.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written;
  ///   it never traps.
  init(from reader: inout ByteReader) throws(ByteError)
}

extension Summary {
  @inlinable
  package var isQuicklyMultiplied: Bool { false }

  @inlinable
  package func isProduct(of children: ContiguousArray<Self>) -> Bool {
    var product = Self.identity
    for child in children { product.append(child) }
    return product == self
  }
}
