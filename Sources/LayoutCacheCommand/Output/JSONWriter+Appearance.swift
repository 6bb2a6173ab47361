import CollectionLayout
import LayoutGeometry
import TextFormats

extension JSONWriter {
  /// Appends the members of an element that hardly any has: those that are not at
  /// their default. A transform that stays in the plane is an array of a, b, c, d, tx
  /// and ty, any other one of m11 to m44 in rows.
  mutating func appearance(of element: LayoutAttributes) {
    if element.alpha != 1 { member("alpha", element.alpha) }
    if element.isHidden { member("hidden", true) }
    let transform3D = element.transform3D
    if transform3D.isIdentity { return }
    if let transform = transform3D.affine {
      member("transform", of: transform.members) { $0.plainValue($1) }
    } else {
      member("transform3D", of: transform3D.members) { $0.plainValue($1) }
    }
  }

  /// Appends a number; minus zero, which rotations make, is 0.
  private mutating func plainValue(_ number: Double) { value(number == 0 ? 0 : number) }
}
