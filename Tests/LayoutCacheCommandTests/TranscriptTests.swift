import Testing

/// Sessions with the command, as files in `Transcripts`. UPDATE_GOLDEN=1 rewrites them.
@Suite struct TranscriptTests {
  @Test(arguments: try Transcript.names())
  func sessionsPrintWhatTheTranscriptSays(name: String) throws {
    try Transcript(name).check()
  }
}
