extension ClientOperation: Codable {
  private enum Member: String, CodingKey {
    case session, begin, end, dataset, write, outcome, read, sequence, revision, chain, digest
    case age
  }

  private enum OutcomeName: String, Codable {
    case committed, refused, unknown
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    session = try members.decode(String.self, forKey: .session)
    begin = try members.decode(Int64.self, forKey: .begin)
    end = try members.decodeIfPresent(Int64.self, forKey: .end)
    dataset = try members.decode(String.self, forKey: .dataset)
    guard let write = try members.decodeIfPresent(String.self, forKey: .write) else {
      action = .read(
        Reading(
          question: try members.decode(String.self, forKey: .read),
          sequence: try members.decode(Int.self, forKey: .sequence),
          revision: try members.decode(Int.self, forKey: .revision),
          chain: try members.decodeIfPresent(String.self, forKey: .chain),
          digest: try members.decode(String.self, forKey: .digest),
          age: try members.decodeIfPresent(Int64.self, forKey: .age)))
      return
    }
    switch try members.decode(OutcomeName.self, forKey: .outcome) {
    case .committed:
      action = .write(
        write,
        .committed(
          sequence: try members.decode(Int.self, forKey: .sequence),
          revision: try members.decode(Int.self, forKey: .revision)))
    case .refused: action = .write(write, .refused)
    case .unknown: action = .write(write, .unknown)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(session, forKey: .session)
    try members.encode(begin, forKey: .begin)
    try members.encodeIfPresent(end, forKey: .end)
    try members.encode(dataset, forKey: .dataset)
    switch action {
    case .write(let write, let outcome):
      try members.encode(write, forKey: .write)
      switch outcome {
      case .committed(let sequence, let revision):
        try members.encode(OutcomeName.committed, forKey: .outcome)
        try members.encode(sequence, forKey: .sequence)
        try members.encode(revision, forKey: .revision)
      case .refused: try members.encode(OutcomeName.refused, forKey: .outcome)
      case .unknown: try members.encode(OutcomeName.unknown, forKey: .outcome)
      }
    case .read(let reading):
      try members.encode(reading.question, forKey: .read)
      try members.encode(reading.sequence, forKey: .sequence)
      try members.encode(reading.revision, forKey: .revision)
      try members.encodeIfPresent(reading.chain, forKey: .chain)
      try members.encode(reading.digest, forKey: .digest)
      try members.encodeIfPresent(reading.age, forKey: .age)
    }
  }
}
