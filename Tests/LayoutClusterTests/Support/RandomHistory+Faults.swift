import ClusterSimulation
import TestSupport

extension RandomHistory {
  /// A change of a history that breaks exactly one rule.
  enum Fault: CaseIterable {
    case missingEntry, jumpingRevision, logWithoutABeginning
    case lostWrite, repeatedWrite, writeElsewhere, writeOfAnotherRevision
    case unknownWriteTwice
    case refusedWrite
    case writeOfNobody
    case writesInAnotherOrder, writeIntoAStateThatWasSeen
    case readBehindTheLog, readOfAnotherRevision, readOfAnotherChain
    case anotherAnswer, anotherAnswerAtAPositionThatIsReadTwice
    case sessionThatGoesBack, sessionThatDoesNotSeeItsWrite
    case ageWithoutAWrite, ageWithoutWhatWasSeen

    var rule: HistoryRule {
      switch self {
      case .missingEntry, .jumpingRevision, .logWithoutABeginning: .denseLog
      case .lostWrite, .repeatedWrite, .writeElsewhere, .writeOfAnotherRevision:
        .committedOnce
      case .unknownWriteTwice: .unknownAtMostOnce
      case .refusedWrite: .refusedNever
      case .writeOfNobody: .askedFor
      case .writesInAnotherOrder, .writeIntoAStateThatWasSeen: .realTime
      case .readBehindTheLog, .readOfAnotherRevision, .readOfAnotherChain: .position
      case .anotherAnswer, .anotherAnswerAtAPositionThatIsReadTwice: .answer
      case .sessionThatGoesBack, .sessionThatDoesNotSeeItsWrite: .session
      case .ageWithoutAWrite, .ageWithoutWhatWasSeen: .age
      }
    }
  }

  /// - Returns: Whether the fault was possible in this history.
  mutating func spoil(_ fault: Fault, using generator: inout SeededGenerator) -> Bool {
    let dataset = generator.oneIn(2) ? "1" : "2"
    guard let last = entries(of: dataset).last, last.sequence > 0 else { return false }
    switch fault {
    case .missingEntry, .jumpingRevision, .logWithoutABeginning, .writeOfNobody:
      spoilLog(of: dataset, fault)
      return true
    case .lostWrite, .repeatedWrite, .writeElsewhere, .writeOfAnotherRevision,
      .unknownWriteTwice, .refusedWrite:
      return spoilWrite(of: dataset, fault, using: &generator)
    case .writesInAnotherOrder, .writeIntoAStateThatWasSeen:
      return spoilOrder(of: dataset, fault, using: &generator)
    case .readBehindTheLog, .readOfAnotherRevision, .readOfAnotherChain, .anotherAnswer,
      .anotherAnswerAtAPositionThatIsReadTwice:
      spoilRead(of: dataset, fault)
      return true
    case .sessionThatGoesBack, .sessionThatDoesNotSeeItsWrite, .ageWithoutAWrite,
      .ageWithoutWhatWasSeen:
      spoilView(of: dataset, fault)
      return true
    }
  }

  private mutating func spoilLog(of dataset: String, _ fault: Fault) {
    guard fault != .writeOfNobody else { return append(to: dataset, write: "nobody") }
    var entry = last(of: dataset)
    entry.write = nil
    switch fault {
    case .missingEntry: entry.sequence += 2
    case .jumpingRevision:
      entry.sequence += 1
      entry.revision += 2
    default:
      entry = Self.making(of: "3")
      entry.sequence = 1
    }
    history.log.append(entry)
  }

  private mutating func spoilWrite(
    of dataset: String, _ fault: Fault, using generator: inout SeededGenerator
  ) -> Bool {
    if fault == .lostWrite {
      let place = last(of: dataset)
      add(
        .write("lost", .committed(sequence: place.sequence, revision: place.revision)),
        to: dataset, session: "late")
      return true
    }
    let writes = history.operations.indices.filter { index in
      guard history.operations[index].dataset == dataset,
        case .write(let write, let outcome) = history.operations[index].action
      else {
        return false
      }
      return switch outcome {
      case .committed: ![.unknownWriteTwice, .refusedWrite].contains(fault)
      case .refused: fault == .refusedWrite
      case .unknown:
        fault == .unknownWriteTwice && history.log.contains { $0.write == write }
      }
    }
    guard let index = writes.randomElement(using: &generator),
      case .write(let write, let outcome) = history.operations[index].action
    else {
      return false
    }
    if case .committed(let sequence, let revision) = outcome, fault != .repeatedWrite {
      let isElsewhere = fault == .writeElsewhere
      history.operations[index].action = .write(
        write,
        .committed(
          sequence: sequence + (isElsewhere ? 1 : 0), revision: revision + (isElsewhere ? 0 : 1)
        ))
    } else {
      append(to: dataset, write: write)
    }
    return true
  }

  /// Changes two writes in log order so that the first begins after the second has ended or has
  /// been seen. Reads would detect that too.
  private mutating func spoilOrder(
    of dataset: String, _ fault: Fault, using generator: inout SeededGenerator
  ) -> Bool {
    history.operations.removeAll {
      if case .read = $0.action { true } else { false }
    }
    let committed = history.operations.indices.filter {
      guard case .write(_, .committed) = history.operations[$0].action else { return false }
      return history.operations[$0].dataset == dataset
    }
    guard committed.count > 1 else { return false }
    let places = committed.map { index in
      guard case .write(_, .committed(let sequence, _)) = history.operations[index].action
      else {
        preconditionFailure("the write is not committed")
      }
      return (index: index, sequence: sequence)
    }.sorted { $0.sequence < $1.sequence }
    let later = places.dropFirst().randomElement(using: &generator)!
    if fault == .writesInAnotherOrder {
      history.operations[later.index].begin = -20
      history.operations[later.index].end = -10
    } else {
      history.operations.append(
        ClientOperation(
          session: "early", begin: -20, end: -10, dataset: dataset,
          action: .read(reading(at: later.sequence, of: dataset, age: nil))))
    }
    return true
  }

  private mutating func spoilRead(of dataset: String, _ fault: Fault) {
    let good = reading(at: last(of: dataset).sequence, of: dataset, age: nil)
    var bad = good
    switch fault {
    case .readBehindTheLog: bad.sequence += 1
    case .readOfAnotherRevision: bad.revision += 1
    case .readOfAnotherChain: bad.chain = "another"
    default: bad.digest = "another"
    }
    if fault == .anotherAnswerAtAPositionThatIsReadTwice {
      add(.read(good), to: dataset, session: "late")
    }
    add(.read(bad), to: dataset, session: "later")
  }

  /// Adds an acknowledged or seen write followed by a read of the state before it.
  private mutating func spoilView(of dataset: String, _ fault: Fault) {
    let before = last(of: dataset).sequence
    append(to: dataset, write: "late")
    let entry = last(of: dataset)
    let isSeen = [.sessionThatGoesBack, .ageWithoutWhatWasSeen].contains(fault)
    if isSeen {
      history.operations.append(
        ClientOperation(
          session: "unheard", begin: 0, end: nil, dataset: dataset,
          action: .write("late", .unknown)))
      add(
        .read(reading(at: entry.sequence, of: dataset, age: nil)), to: dataset,
        session: "late")
    } else {
      add(
        .write("late", .committed(sequence: entry.sequence, revision: entry.revision)),
        to: dataset, session: "late")
    }
    let isSession = fault.rule == .session
    add(
      .read(reading(at: before, of: dataset, age: isSession ? nil : 5)), to: dataset,
      session: isSession ? "late" : "later")
  }
}
