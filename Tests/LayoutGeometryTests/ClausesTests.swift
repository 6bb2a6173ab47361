import LayoutGeometry
import Testing

struct ClausesTests {
  @Test func aClauseAfterAQuestionBeginsASentence() {
    #expect(clauses("no 'a'", "there are 'b'") == "no 'a'; there are 'b'")
    #expect(
      clauses("no 'a'", "did you mean 'b'?", "there are 'b'", "see c")
        == "no 'a'; did you mean 'b'? There are 'b'; see c")
    #expect(clauses("is it 'b'?", "'b' is near") == "is it 'b'? 'b' is near")
    #expect(clauses("did you mean 'b'?", "état") == "did you mean 'b'? État")
  }

  @Test func missingClausesAreSkipped() {
    #expect(clauses(nil, "a", nil, "b") == "a; b")
    #expect(clauses("a?", nil) == "a?")
    #expect(clauses(nil, nil) == "")
  }

  @Test func joinedClausesCanBeJoinedAgain() {
    let problem = clauses("no 'a'", "did you mean 'b'?")
    #expect(clauses("f.csv, \(problem)", "stored") == "f.csv, no 'a'; did you mean 'b'? Stored")
  }
}
