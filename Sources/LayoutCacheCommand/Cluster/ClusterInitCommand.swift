import ArgumentParser
import LayoutCluster
import PostgresLog
import TextFormats

struct ClusterInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make the log's tables, or say how the server is set up",
    discussion: """
      Makes the schema 'layoutcache' in the database, or moves that of an older version on; a log \
      that is there keeps what it holds.

      After PostgreSQL was restored from a backup, --restored gives the log another name: nodes \
      throw away what they had followed beyond it, and what clients hold of positions, validators \
      and continuations is refused instead of mistaken. Stop all nodes before.

      Example:
        layoutcache cluster init --log postgresql://layoutcache@db1,db2,db3/layoutcache
      """)

  @OptionGroup var log: SharedLogOptions
  @OptionGroup var output: FormatOption

  @Flag(help: "Give the log another name: it was restored from a backup")
  var restored = false

  func run() throws {
    do {
      let condition = try PostgresLog.initialize(
        log.url(), rules: ClusterOptions().rules.upperBound)
      if restored, !condition.isNew { try log.withLog { try $0.renew() } }
      if output.json {
        try StandardOutput.printJSON { json in
          json.beginObject()
          json.member("made", condition.isNew)
          json.member("renewed", restored && !condition.isNew)
          condition.writeMembers(to: &json)
          json.endObject()
        }
      } else {
        try StandardOutput.printLine(
          condition.isNew
            ? "the log is made" : restored ? "the log has another name" : "the log is there already"
        )
        for line in condition.lines { try StandardOutput.printLine(line) }
      }
    } catch let failure as SharedLogFailure {
      throw Failure(failure)
    }
  }
}

extension PostgresCondition {
  func writeMembers(to json: inout JSONWriter) {
    json.member("format", format)
    json.member("server", serverText)
    json.member("replication", isReplicated ? "strict" : "reduced")
    json.member("synchronousStandbys", synchronousStandbys)
    if let connectedStandbyCount { json.member("connectedStandbys", connectedStandbyCount) }
    json.member("unsafeSettings")
    json.beginArray()
    for name in unsafeSettings { json.value(name) }
    json.endArray()
  }

  /// The condition in words, with what is to be mended first.
  var lines: [String] {
    var lines = unsafeSettings.map { "warning: \($0) is off: commits are lost with the power" }
    if isReplicated {
      let count = connectedStandbyCount.map { "; \($0) connected" } ?? ""
      lines.append("commits wait for standbys: \(synchronousStandbys)\(count)")
    } else {
      lines.append("warning: commits wait for no standby, and are lost with the server")
    }
    lines.append("PostgreSQL \(serverText), format \(format)")
    return lines
  }

  private var serverText: String { "\(serverVersion / 10_000).\(serverVersion % 10_000)" }
}
