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
    let order = ArgumentOrder(CommandLine.arguments.dropFirst())
    do {
      var command = try RootCommand.parseAsRoot(order.arguments)
      // A server says by itself what it does.
      if order.words != ["serve"] { ProgressLine.begin(order.words.joined(separator: " ")) }
      try command.run()
      ProgressLine.end()
    } catch {
      ProgressLine.end()
      exit(report(error, order).rawValue)
    }
  }

  /// Says what an error means to the user: help and the version on standard
  /// output, a failure in one line on standard error.
  private static func report(_ error: any Error, _ order: ArgumentOrder) -> ExitStatus {
    if error is OutputClosed { return .done }
    if let failure = Failure(error) {
      failure.report(asJSON: order.wantsJSON)
      return failure.status
    }
    // What is left is the argument parser's own.
    guard RootCommand.exitCode(for: error) != .success else {
      print(RootCommand.fullMessage(for: error))
      return .done
    }
    var message = RootCommand.message(for: error)
    // Its guess goes by fewer names than ours.
    if let guess = message.firstRange(of: ". Did you mean ") {
      message.removeSubrange(guess.lowerBound...)
    }
    if message.last == "." { message.removeLast() }
    message = shortened(message, quoting: order.arguments)
    // Where its own description can't be read there is less to say.
    let failure =
      (try? CommandDescription.root()).map {
        UsageAdvice(order.arguments, in: $0).failure(message)
      } ?? Failure(.usage, message)
    failure.report(asJSON: order.wantsJSON, help: order.helpInvocation)
    return .usage
  }

  /// The argument parser quotes what it was given in full.
  private static func shortened(
    _ message: String, quoting arguments: some Sequence<String>
  ) -> String {
    var message = message
    for argument in arguments where message.utf8.count > excerptScalarsMax {
      // Of "--rect=0,0" it quotes what stands after the sign.
      for text in [argument[...], argument.drop { $0 != "=" }.dropFirst()]
      where text.unicodeScalars.count > excerptScalarsMax {
        message = message.replacing(text, with: excerpt(String(text)))
      }
    }
    return message
  }
}
