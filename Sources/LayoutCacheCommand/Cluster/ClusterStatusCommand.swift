import ArgumentParser
import PostgresLog
import TextFormats

struct ClusterStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the shared log's server and the nodes that use it",
    discussion: """
      'seen' is the number of seconds since a node last read the log, by the server's clock; \
      nodes not seen for a day are not listed. Each node reports more at /readyz.

      Example:
        layoutcache cluster status --log postgresql://db1,db2,db3/layoutcache
      """)

  @OptionGroup var log: SharedLogOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    let (condition, nodes) = try log.withLog {
      (try $0.condition(), try $0.nodes())
    }
    if output.json {
      try StandardOutput.printJSON { json in
        json.beginObject()
        json.member("incarnation", hexadecimal(condition.incarnation))
        json.member("rules", condition.rules)
        condition.writeMembers(to: &json)
        json.member("nodes")
        json.beginArray()
        for node in nodes {
          json.beginObject()
          json.member("node", node.title)
          json.member("id", hexadecimal(node.name))
          json.member("seen", node.age)
          json.member("rulesMin", node.rules.lowerBound)
          json.member("rulesMax", node.rules.upperBound)
          json.endObject()
        }
        json.endArray()
        json.endObject()
      }
    } else {
      try StandardOutput.printLine(
        "log \(hexadecimal(condition.incarnation)), layout rules \(condition.rules)")
      for line in condition.lines { try StandardOutput.printLine(line) }
      var table = Table([.text("node"), .number("seen"), .number("rules")])
      for node in nodes {
        let (least, most) = (node.rules.lowerBound, node.rules.upperBound)
        table.add([
          node.title, String(Int(node.age)), least == most ? "\(least)" : "\(least)-\(most)",
        ])
      }
      try table.print()
    }
  }
}
