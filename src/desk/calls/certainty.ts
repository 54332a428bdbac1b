/** Whether something holds for every request of a caller, for no request, or for some: that depends on the request. */
export type Certainty = "always" | "never" | "sometimes";

/** All must hold. Without conditions it always holds. */
export function allOf(answers: Iterable<Certainty>): Certainty {
  let result: Certainty = "always";
  for (const answer of answers) {
    if (answer === "never") return "never";
    if (answer === "sometimes") result = "sometimes";
  }
  return result;
}

/** One must hold. Without alternatives it never holds. */
export function anyOf(answers: Iterable<Certainty>): Certainty {
  let result: Certainty = "never";
  for (const answer of answers) {
    if (answer === "always") return "always";
    if (answer === "sometimes") result = "sometimes";
  }
  return result;
}

export function opposite(answer: Certainty): Certainty {
  if (answer === "sometimes") return answer;
  return answer === "always" ? "never" : "always";
}
