import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time of day as logs write it.
func timestamp() -> String {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return timeText(
    millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
}
