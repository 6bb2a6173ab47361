import HTTPTypes
import Hummingbird
import TextFormats

extension Exchange {
  /// Which of the forms that an answer can be had in the client wants, by RFC 9110: the one
  /// with the greatest weight, the first of several.
  ///
  /// - Throws: ``Problem`` with 406 where it wants none of them.
  func preferred(of types: [String]) throws -> String {
    guard let header = request.headers[.accept] else { return types[0] }
    let ranges = qualities(in: header)
    /// The weight that the most precise range which a type is in gives it.
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
      throw Problem(.notAcceptable, "the answer can be had as \(types.joined(separator: " or "))")
    }
    return best.type
  }
}
