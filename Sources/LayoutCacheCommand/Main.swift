import ArgumentParser
import LayoutGeometry

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@main
enum Main {
  /// Runs the command line and ends the process with an ``ExitStatus``.
  static func main() {
    // If the reader closes the pipe, as in `export | head`, `write` then returns an error,
    // which unwinds and closes the database; the signal would not.
    signal(SIGPIPE, SIG_IGN)
    // The same for a file that exceeds the shell's size limit.
    signal(SIGXFSZ, SIG_IGN)
    WarningLog.bootstrap()
    exit(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Runs a command and reports its failure.
  static func run(_ arguments: some Sequence<String>) -> ExitStatus {
    let order = ArgumentOrder(arguments)
    do {
      if let failure = unknownHelpTopic(order.arguments) { throw failure }
      var command = try RootCommand.parseAsRoot(order.arguments)
      // A server logs its progress.
      if order.words != ["serve"] { ProgressLine.begin(order.words.joined(separator: " ")) }
      try command.run()
      ProgressLine.end()
      return .done
    } catch {
      ProgressLine.end()
      return report(error, order)
    }
  }

  /// Returns the failure of `help` for an unknown command, which the parser answers with the
  /// help of all.
  private static func unknownHelpTopic(_ arguments: [String]) -> Failure? {
    guard arguments.first == "help" else { return nil }
    let words = arguments.dropFirst().prefix { !$0.hasPrefix("-") }
    let advice = UsageAdvice(Array(words), in: CommandDescription.root)
    return advice.namesCommand ? nil : advice.failure("unknown command")
  }

  /// Reports an error to the user: help and the version on standard output, a failure in one
  /// line on standard error.
  private static func report(_ error: any Error, _ order: ArgumentOrder) -> ExitStatus {
    if error is OutputClosed { return .done }
    if let failure = Failure(error) {
      failure.report(asJSON: order.wantsJSON)
      return failure.status
    }
    // All other errors are the argument parser's.
    guard RootCommand.exitCode(for: error) != .success else {
      do { try StandardOutput.printLine(RootCommand.fullMessage(for: error)) } catch {
        return report(error, order)
      }
      return .done
    }
    var message = RootCommand.message(for: error)
    // The parser suggests from fewer names than `UsageAdvice`.
    if let guess = message.firstRange(of: ". Did you mean ") {
      message.removeSubrange(guess.lowerBound...)
    }
    if let list = message.firstRange(of: ". Please provide one of ") {
      message.replaceSubrange(list, with: "; use one of ")
    }
    if message.last == "." { message.removeLast() }
    // Only numbers are parsed without a reason.
    if message.hasPrefix("The value '"), message.hasSuffix(">'") {
      message += ": it must be a whole number"
    }
    message = shortened(message, quoting: order.arguments)
    let failure = UsageAdvice(order.arguments, in: CommandDescription.root).failure(message)
    failure.report(asJSON: order.wantsJSON, help: order.helpInvocation)
    return .usage
  }

  /// Shortens the arguments that the parser quotes in full.
  private static func shortened(
    _ message: String, quoting arguments: some Sequence<String>
  ) -> String {
    var message = message
    for argument in arguments where message.utf8.count > excerptScalarsMax {
      // Of "--rect=0,0" it quotes the part after the equals sign.
      for text in [argument[...], argument.drop { $0 != "=" }.dropFirst()]
      where text.unicodeScalars.count > excerptScalarsMax {
        message = message.replacing(text, with: excerpt(String(text)))
      }
    }
    return message
  }
}
