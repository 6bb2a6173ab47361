#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A time of day as logs write it: UTC, in milliseconds, by RFC 3339.
struct Timestamp: CustomStringConvertible {
  private let time: timespec

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(time: time)
  }

  var description: String {
    var seconds = time.tv_sec
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Int.init)
    let milliseconds = padded(time.tv_nsec / 1_000_000, 3)
    return date.map { padded($0, 2) }.joined(separator: "-") + "T"
      + clock.map { padded($0, 2) }.joined(separator: ":") + ".\(milliseconds)Z"
  }
}

private func padded(_ number: Int, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}
