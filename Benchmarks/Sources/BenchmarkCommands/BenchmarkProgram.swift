package import ArgumentParser
import BenchmarkBaselines
import Foundation
import LayoutCache

/// Measures the engine and hand-written baselines in one run.
package struct BenchmarkProgram: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "LayoutCacheBenchmark",
    abstract: "Measure LayoutCache on this machine",
    subcommands: [
      FeedCommand.self, ImportsCommand.self, WaitsCommand.self, CatchUpCommand.self,
      ShellCommand.self, RebalancingCommand.self, CompareCommand.self, DocumentCommand.self,
      CountsCommand.self, SmokeCommand.self, SmallWriterCommand.self,
    ],
    defaultSubcommand: FeedCommand.self)

  package init() {}

  package static func main() {
    // If the reader of the output disconnects, `write` fails, and the databases are removed.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard let failure = failure(error) else { exit(withError: error) }
      StandardError.write("LayoutCacheBenchmark: \(failure.message)\n")
      Foundation.exit(failure.status.rawValue)
    }
  }

  /// The failure for an error.
  ///
  /// - Returns: `nil` for an error of the argument parser.
  private static func failure(_ error: any Error) -> Failure? {
    switch error {
    case let error as Failure: error
    case let error as BaselineError: Failure(.inputOutput, error.description)
    case let error as LayoutCacheError:
      Failure(
        error.category == .inputOutput ? .inputOutput : .internalError, error.description)
    default:
      exitCode(for: error) == .failure ? Failure(.internalError, "\(error)") : nil
    }
  }
}
