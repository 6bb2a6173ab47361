/// Returns a count with its noun: "1 item", "2 items".
package func plural(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
