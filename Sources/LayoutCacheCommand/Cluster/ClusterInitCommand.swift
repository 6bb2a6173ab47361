import ArgumentParser
import LayoutCluster
import PostgresLog
import TextFormats

struct ClusterInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create the log's tables, or check the server's settings",
    discussion: """
      Creates the schema 'layoutcache' in the database, or migrates that of an older version. An \
      existing log keeps its contents.

      After a restore of PostgreSQL from a backup, --restored gives the log a new identity: nodes \
      discard the changes that the backup lacks, and positions, validators and continuations that \
      clients hold are rejected instead of misread. Stop all nodes first.

      Example:
        layoutcache cluster init --log postgresql://db1,db2,db3/layoutcache
      """)

  @OptionGroup var log: SharedLogOptions
  @OptionGroup var output: FormatOption

  @Flag(help: "Give the log a new identity, after a restore from a backup")
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
            ? "created the log"
            : restored ? "gave the log a new identity" : "the log already exists")
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

  /// The condition in words; warnings first.
  var lines: [String] {
    var lines = unsafeSettings.map { "warning: \($0) is off; a power failure can lose commits" }
    if isReplicated {
      let count = connectedStandbyCount.map { "; \($0) connected" } ?? ""
      lines.append("commits wait for standbys: \(synchronousStandbys)\(count)")
    } else {
      lines.append("warning: commits wait for no standby; losing the server loses commits")
    }
    lines.append("PostgreSQL \(serverText), format \(format)")
    return lines
  }

  private var serverText: String { "\(serverVersion / 10_000).\(serverVersion % 10_000)" }
}
