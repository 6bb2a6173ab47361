/// Whether debug builds check invariants after each mutation.
///
/// The contents of a file may break them all, and is then no mistake of the program's: tests
/// that damage files turn the checks off.
package enum InvariantChecks {
  @TaskLocal package static var areOn = true
}
