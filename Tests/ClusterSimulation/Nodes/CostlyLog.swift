import ClusterTestSupport
import LayoutCluster

/// A log in which all changes are expensive, so that checkpoints fall due after a few entries.
final class CostlyLog: ForwardingLog {
  let base: any SharedLog

  init(_ base: any SharedLog) { self.base = base }

  func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    base.append(
      appends.map { append in
        var append = append
        append.cost *= 500
        return append
      })
  }
}
