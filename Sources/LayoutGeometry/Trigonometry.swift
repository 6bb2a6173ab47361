#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The sine and cosine of an angle in radians, by the platform's mathematics
/// library: the one thing that layouts need of it.
package func sineAndCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
  (sin(angle), cos(angle))
}
