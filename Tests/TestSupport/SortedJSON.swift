import Foundation

/// Returns the JSON of a value, with members in alphabetical order.
package func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

package func decode<T: Decodable>(_ text: String) throws -> T {
  try JSONDecoder().decode(T.self, from: Data(text.utf8))
}
