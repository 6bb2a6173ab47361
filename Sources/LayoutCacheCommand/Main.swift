import ArgumentParser
import LayoutGeometry

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs the command line and ends the process with an ``ExitStatus``.
@main
enum Main {
  static func main() {
    // A reader that goes away, as in `export | head`, is an error of `write`,
    // which unwinds and closes the database, rather than a signal that does not.
    signal(SIGPIPE, SIG_IGN)
    // Likewise a file beyond the shell's limit.
    signal(SIGXFSZ, SIG_IGN)
    WarningLog.bootstrap()
    do {
      var command = try RootCommand.parseAsRoot()
      try command.run()
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Says what an error means to the user: help and the version on standard
  /// output, a failure in one line on standard error.
  private static func report(_ error: any Error) -> ExitStatus {
    if error is OutputClosed { return .done }
    if let failure = Failure(error) {
      StandardError.writeLine(failure.message)
      return failure.status
    }
    // What is left is the argument parser's own.
    guard RootCommand.exitCode(for: error) != .success else {
      print(RootCommand.fullMessage(for: error))
      return .done
    }
    let help = RootCommand.helpInvocation(for: CommandLine.arguments.dropFirst())
    var message = RootCommand.message(for: error)
    if message.last == "." { message.removeLast() }
    message = shortened(message, quoting: CommandLine.arguments.dropFirst())
    StandardError.writeLine("\(message); see '\(help)'")
    return .usage
  }

  /// The argument parser quotes what it was given in full.
  private static func shortened(
    _ message: String, quoting arguments: some Sequence<String>
  ) -> String {
    var message = message
    for argument in arguments where message.utf8.count > excerptScalarsMax {
      // Of "--rect=0,0" it quotes what stands behind the sign.
      for text in [argument[...], argument.drop { $0 != "=" }.dropFirst()]
      where text.unicodeScalars.count > excerptScalarsMax {
        message = message.replacing(text, with: excerpt(String(text)))
      }
    }
    return message
  }
}
