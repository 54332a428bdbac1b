/** Nobody catches it as such: in a log its name says that the message is what should have held. */
class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/**
 * States what only we could break. What a user, a peer or a file could break is checked with values (`Issue`,
 * verdicts) instead. The message says what should have held.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
