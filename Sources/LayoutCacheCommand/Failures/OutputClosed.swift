/// The reader of standard output has closed it. The command ends without a message.
struct OutputClosed: Error {}
