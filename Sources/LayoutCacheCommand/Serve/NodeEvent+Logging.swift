import LayoutCluster
import Logging

extension NodeEvent {
  /// Writes the event as one line of the service's log.
  func log(to logger: Logger) {
    switch self {
    case .lostTail(let dataset, let applied, let found):
      logger.error(
        "the shared log has lost entries that this node has applied; the dataset is loaded again",
        metadata: ["dataset": "\(dataset)", "applied": "\(applied)", "found": "\(found)"])
    case .nameReplaced:
      logger.error("another process has taken this node's name; the names of nodes must differ")
    case .quarantined(let dataset, let reason):
      logger.error(
        "a dataset cannot be followed and stays unchanged",
        metadata: ["dataset": "\(dataset)", "error": "\(reason)"])
    case .followingFailed(let dataset, let reason):
      logger.warning(
        "following a dataset failed; the next poll tries again",
        metadata: ["dataset": "\(dataset)", "error": "\(reason)"])
    case .followingResumed(let dataset):
      logger.notice("a dataset is followed again", metadata: ["dataset": "\(dataset)"])
    }
  }
}
