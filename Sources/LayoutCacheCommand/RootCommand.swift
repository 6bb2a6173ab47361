import ArgumentParser
import BuildStamp

/// What the program says it is.
enum Version {
  static let number = "0.1.0"
  static let text = "layoutcache \(number) (\(String(cString: build_stamp_commit())))"
}

/// The command line as a whole.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layoutcache",
    abstract: "Lay out feeds and keep the results in one SQLite file",
    discussion: """
      Import items into a dataset, attach layouts to it, and ask which elements lie in a \
      rectangle. Lengths are points, rounded down to 1/64.

      A dataset or layout that is the only one need not be named. --database, --dataset, --layout \
      and --json may stand before the subcommand too.

      Examples:
        layoutcache demo
        layoutcache import feed.csv --dataset art
        layoutcache layout set phone --dataset art --width 390 --columns 2
        layoutcache query --dataset art --layout phone --rect 0,0,390,844

      Environment:
        LAYOUTCACHE_DATABASE  the database, where --database is left out
        LAYOUTCACHE_DATASET   the dataset, where --dataset is left out
        COLUMNS               how wide tables are where there is no terminal
        NO_COLOR              plain text where it is set

      Every failure is one line on standard error; with --json it is an object, {"error": \
      {"code", "exitCode", "message", "hint", "line"}}. Exit codes:
        0   done
        1   a check found differences
        64  usage: wrong options, or an import into a dataset that exists
        65  bad input data, or a refused layout or change; nothing was stored
        66  no such file, dataset, layout, section or key
        70  internal error
        74  input/output error
        75  the database is busy; try again
        76  the database is corrupt, not LayoutCache's, or of a newer version
        130 interrupted by ctrl-C; nothing was stored
      """,
    version: Version.text,
    subcommands: [
      ImportCommand.self, ExportCommand.self, DatasetsCommand.self, DatasetCommand.self,
      SectionsCommand.self,
      LayoutCommand.self, QueryCommand.self, ItemCommand.self, AtCommand.self,
      UpdateCommand.self, UndoCommand.self, LogCommand.self, PrepareCommand.self,
      RebalanceCommand.self, InvalidateCommand.self,
      InspectCommand.self, VerifyCommand.self, CompactCommand.self, BackupCommand.self,
      RenderCommand.self, DemoCommand.self, ManualCommand.self,
    ] + cluster + service)

  #if Cluster
    private static let cluster: [any ParsableCommand.Type] = [ClusterCommand.self]
  #else
    private static let cluster: [any ParsableCommand.Type] = []
  #endif

  #if Service
    private static let service: [any ParsableCommand.Type] = [ServeCommand.self]
  #else
    private static let service: [any ParsableCommand.Type] = []
  #endif
}
