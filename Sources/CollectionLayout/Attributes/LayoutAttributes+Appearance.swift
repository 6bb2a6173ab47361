public import LayoutGeometry

extension LayoutAttributes {
  /// The transform of the element about its centre; the identity for most.
  public var transform3D: Transform3D {
    get { appearance?.values.transform3D ?? .identity }
    set { changeAppearance { $0.transform3D = newValue } }
  }

  /// The transform of the element about its centre, if it is affine; otherwise the identity.
  /// Setting it sets ``transform3D``.
  public var transform: Transform {
    get { appearance?.values.transform3D.affine ?? .identity }
    set { transform3D = Transform3D(affine: newValue) }
  }

  /// The opacity of the element, from 0 to 1; 1 by default. Values are clamped to that range;
  /// NaN is treated as 1.
  public var alpha: Double {
    get { appearance?.values.alpha ?? 1 }
    set { changeAppearance { $0.alpha = max(0, min(1, newValue)) } }
  }

  /// Whether the element is hidden; `false` by default. Queries return hidden elements.
  public var isHidden: Bool {
    get { appearance?.values.isHidden ?? false }
    set { changeAppearance { $0.isHidden = newValue } }
  }

  private mutating func changeAppearance(_ change: (inout ElementAppearance.Values) -> Void) {
    var values = appearance?.values ?? ElementAppearance.Values()
    change(&values)
    appearance = values == ElementAppearance.Values() ? nil : ElementAppearance(values)
  }
}

/// The members of ``LayoutAttributes`` that hardly any element has, in an immutable box.
/// Thousands of attributes are created and copied for each that has one, and a transform alone
/// is larger than all other members together.
@usableFromInline
final class ElementAppearance: Hashable, Sendable {
  struct Values: Hashable {
    var transform3D = Transform3D.identity
    var alpha = 1.0
    var isHidden = false
  }

  let values: Values

  init(_ values: Values) { self.values = values }

  @usableFromInline
  static func == (lhs: ElementAppearance, rhs: ElementAppearance) -> Bool {
    lhs === rhs || lhs.values == rhs.values
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
