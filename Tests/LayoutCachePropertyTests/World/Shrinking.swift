/// Reduces a failing list, for conditions that are asynchronous; see `Shrinker`.
enum Shrinking {
  static func shrink<Element>(
    _ list: [Element], whileFails fails: ([Element]) async -> Bool
  ) async -> [Element] {
    var list = list
    var length = max(1, list.count / 2)
    while true {
      var isShorter = false
      var start = 0
      while start < list.count {
        let end = min(start + length, list.count)
        let shorter = Array(list[..<start] + list[end...])
        if await fails(shorter) {
          (list, isShorter) = (shorter, true)
        } else {
          start = end
        }
      }
      if length == 1, !isShorter { return list }
      length = max(1, length / 2)
    }
  }
}
