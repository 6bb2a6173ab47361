import HummingbirdCore
import Logging
import NIOCore

/// Answers a connection's requests on the connection's own event loop.
///
/// Most answers take some dozens of microseconds, and to hand a request to another thread and
/// its answer back costs as much again. What may take long leaves the loop by itself:
/// `Exchange.blocking(_:)` and `Exchange.transferring(_:)`.
struct EventLoopChannel<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    base.setup(channel: channel, logger: logger)
  }

  func handle(value: Base.Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopTasks(eventLoop: value.channel.eventLoop)) {
      await base.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on an event loop.
private final class EventLoopTasks: TaskExecutor {
  private let eventLoop: any EventLoop

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
