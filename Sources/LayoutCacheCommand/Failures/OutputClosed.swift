/// The reader of standard output has gone away. Nobody is left to tell, so the
/// command ends quietly.
struct OutputClosed: Error {}
