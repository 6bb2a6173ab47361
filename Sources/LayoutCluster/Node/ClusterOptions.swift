import Dispatch
import LayoutCache

/// How a node deals with its log.
package struct ClusterOptions: Sendable {
  /// What people call the node.
  package var title = ""
  /// How long a change waits for the log, if that may still have taken it.
  package var timeout: Duration = .seconds(10)
  /// How many bytes of entries are read at once.
  package var followedBytes = 4 << 20
  /// How long nobody tries again, but for the polls, after the log has not answered.
  package var awayFor: Duration = .seconds(1)

  /// The versions of the layout rules that the node knows.
  package var rules = 1...1

  // MARK: What ``ClusterNode/run(_:)`` does

  /// How often the log is asked where its datasets are.
  package var pollInterval: Duration = .milliseconds(250)
  /// How long a dataset is followed after somebody has asked for it.
  package var followedFor: Duration = .seconds(60)
  /// How long a dataset is left alone that can't be followed, before that is tried again.
  package var quarantinedFor: Duration = .seconds(60)
  /// What is older than this is followed before a reader is answered, if the log is there.
  package var staleAfter: Duration = .seconds(5)
  /// How many datasets are followed at once.
  package var followersMax = 8
  /// How often it is looked whether a checkpoint is due, or a dataset has to leave the file.
  package var upkeepInterval: Duration = .seconds(5)
  /// How often what nobody has finished is taken out of the log.
  package var sweepInterval: Duration = .seconds(3600)
  /// What is in the file at most, in bytes, apart from datasets that are in use; `nil` for any.
  package var diskBytes: Int?

  // MARK: Time

  /// Time that never goes back, from any begin.
  package var now: @Sendable () -> Duration = {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
  }
  /// When it is, in milliseconds since 1970.
  package var time: @Sendable () -> Int64 = { WallClock.system.now() }
  /// Lets others continue for a while.
  package var pause: @Sendable (Duration) -> Void = { duration in
    let (seconds, attoseconds) = duration.components
    let end =
      DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    _ = DispatchSemaphore(value: 0).wait(timeout: end)
  }

  package init() {}
}
