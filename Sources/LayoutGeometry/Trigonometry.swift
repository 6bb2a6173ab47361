#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// Returns the sine and cosine of an angle in radians, by the platform's mathematics library:
/// the only functions of it that layouts use.
package func sineAndCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
  (sin(angle), cos(angle))
}
