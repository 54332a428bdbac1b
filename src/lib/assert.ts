/** No code catches this class. In a log its name shows that the message is the violated invariant. */
class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/**
 * States an invariant that only our own code could break. Mistakes of a user, a peer or a file are checked with values
 * (`Issue`, verdicts) instead. The message is the condition that should hold.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
