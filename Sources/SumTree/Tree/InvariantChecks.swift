/// Whether debug builds check invariants after each mutation.
///
/// A damaged file may violate them all, which is not a programming error: tests that damage
/// files disable the checks.
package enum InvariantChecks {
  @TaskLocal package static var areOn = true
}
