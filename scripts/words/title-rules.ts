/** Begins in the middle of a thought: the reader must look at the title before it. */
const fragment = /^(?:and|but|nor|or|so|unless|such|it|they|those|both|nothing that|nothing of|is not let)\b/iu;

/** Questions and relative clauses instead of a subject. */
const clause = /^(?:what|who|whom|whose|whoever|whatever|that which|where|how)\b/iu;

/** Persons in the place of a client, a server or a user, and passives that hide who acts. */
const vague =
  /\b(?:whoever|whomever|nobody|somebody|anybody|everybody|is told|are told|was told|let in|turned away|made anew)\b/iu;

/** The end of a title that leaves its object to the reader. */
const openEnd = /\s(?:of|for|with|to|from|at|by|into|about|than)$/iu;

/** Whether a reader may have to read the title of a test, or of a group of tests, twice. */
export function isClumsyTitle(title: string): boolean {
  return [fragment, clause, vague, openEnd].some((rule) => rule.test(title.trim()));
}
