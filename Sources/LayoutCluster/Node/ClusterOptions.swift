import Dispatch
import LayoutCache

/// The options of a cluster node.
package struct ClusterOptions: Sendable {
  /// The node's display name.
  package var title = ""
  /// The time limit for retrying a change or a call.
  package var timeout: Duration = .seconds(10)
  /// The maximum payload bytes of entries per read.
  package var followedBytes = 4 << 20
  /// Whether only polls call the log while it is unavailable. A program that does not run
  /// ``ClusterNode/run(_:)`` has no polls, and sets `false`.
  package var onlyPollsAsk = true

  /// Whether datasets in the file that follow another log are deleted; otherwise they are an error.
  package var adoptsFile = false
  /// The supported versions of the layout rules.
  package var rules = LayoutRules.version...LayoutRules.version

  /// The interval between polls of the log.
  package var pollInterval: Duration = .milliseconds(250)
  /// How long a dataset is followed after it was last requested.
  package var followIdleTimeout: Duration = .seconds(60)
  /// How long a quarantined dataset is left unchanged before following is retried.
  package var quarantinedFor: Duration = .seconds(60)
  /// The age from which a state is updated before a reader is answered, if the log is available.
  package var staleAfter: Duration = .seconds(5)
  /// How long a reader waits for the log if the node can answer without it.
  package var readTimeout: Duration = .milliseconds(700)
  /// How long a name that the log does not have is remembered, so that repeated requests for it
  /// do not call the log.
  package var unknownFor: Duration = .seconds(1)
  /// The maximum number of datasets followed concurrently.
  package var followersMax = 8
  /// The interval between checks for due checkpoints and evictions.
  package var upkeepInterval: Duration = .seconds(5)
  /// The interval between sweeps of unfinished archives from the log.
  package var sweepInterval: Duration = .seconds(3600)
  /// The last value of ``storeDecisions`` of an earlier process with the file; empty if none.
  package var storedDecisions: [UInt8] = []
  /// Stores the entries that are about to be decided where the next process with the file finds
  /// them, even if this one crashes. Called before each transaction.
  package var storeDecisions: @Sendable ([UInt8]) -> Void = { _ in }
  /// The maximum size of the file in bytes, apart from datasets in use; `nil` for no limit.
  package var diskBytes: Int?

  /// Receives the node's events. Called on any thread; must not call the node.
  package var report: @Sendable (NodeEvent) -> Void = { _ in }

  /// Returns a monotonic time, with an arbitrary origin.
  package var now: @Sendable () -> Duration = {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
  }
  /// Returns the current time in milliseconds since 1970.
  package var time: @Sendable () -> Int64 = { WallClock.system.now() }
  /// Blocks the calling thread for a duration.
  package var pause: @Sendable (Duration) -> Void = { duration in
    // The timeout of a semaphore ends at a time of the wall clock, which may be set back.
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "pause").asyncAfter(deadline: .now() + duration / .seconds(1)) {
      end.signal()
    }
    end.wait()
  }

  package init() {}
}
