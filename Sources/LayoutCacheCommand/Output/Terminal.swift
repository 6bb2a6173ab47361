#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The width of the terminal.
enum Terminal {
  static let columnsDefault = 80

  /// The current width of the terminal on standard output, or COLUMNS without a terminal; `nil`
  /// if lines may be of any length.
  static var outputColumns: Int? { columns(of: RunContext.current.output) ?? environmentColumns }

  /// The width of the terminal on standard error.
  static var errorColumns: Int {
    columns(of: RunContext.current.error) ?? environmentColumns ?? columnsDefault
  }

  private static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return environmentColumns ?? columnsDefault
    }
    return Int(size.ws_col)
  }

  private static var environmentColumns: Int? {
    environmentVariable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
