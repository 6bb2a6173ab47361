import HTTPTypes
import Hummingbird
import TextFormats

extension ServiceRequest {
  /// Returns the client's preferred type among those available, by RFC 9110: the one with the
  /// greatest weight, the first of several.
  ///
  /// - Throws: ``Problem`` with 406 if the client accepts none of them.
  func preferred(of types: [String]) throws -> String {
    guard let header = http.headers[.accept] else { return types[0] }
    let ranges = qualities(in: header)
    /// Returns the weight from the most specific range that includes a type.
    func weight(_ type: String) -> Double {
      let kind = type.split(separator: "/")[0]
      for pattern in [type, "\(kind)/*", "*/*"] {
        if let range = ranges.first(where: { $0.value == pattern }) { return range.quality }
      }
      return 0
    }
    var best: (type: String, weight: Double)?
    for type in types {
      let weight = weight(type)
      if weight > best?.weight ?? 0 { best = (type, weight) }
    }
    guard let best else {
      throw Problem(.notAcceptable, "the answer is available as \(types.joined(separator: " or "))")
    }
    return best.type
  }
}
