/// The summary of a run of elements, available in a tree without reading them.
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

  /// Replaces this summary by its product with that of the following elements.
  mutating func append(_ next: Self)

  /// Whether multiplication takes a few instructions and no memory. Products of several summaries
  /// are then stored in addition to the factors, because passing over them in one step is faster.
  ///
  /// Law: such products never trap, not even for unvalidated summaries.
  var isQuicklyMultiplied: Bool { get }

  /// Returns whether this may be the product of summaries that were read from a file.
  ///
  /// Called once for each inner node that is loaded. Law: the product of `children` is
  /// accepted. Any other accepted value must be harmless, however the children are multiplied:
  /// no sum of theirs may overflow.
  func isProduct(of children: ContiguousArray<Self>) -> Bool

  /// Appends this summary's bytes.
  ///
  /// Law: `init(from:)` reads exactly these bytes and returns an equal value.
  func encode(into writer: inout ByteWriter)

  /// Reads a summary.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written; it never traps.
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
