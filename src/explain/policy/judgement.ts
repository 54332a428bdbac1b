/**
 * Whether a condition holds. Undefined if that depends on a fact that explain was not told. The text is true of the
 * request either way.
 */
export interface Judgement {
  readonly holds: boolean | undefined;
  readonly text: string;
}

export const always: Judgement = { holds: true, text: "" };

/** A condition that explain cannot decide. The text names the missing fact. */
export function undecided(text: string): Judgement {
  return { holds: undefined, text };
}

/** One false condition decides. */
export function allOf(judgements: readonly Judgement[]): Judgement {
  const decisive =
    judgements.find(({ holds }) => holds === false) ?? judgements.find(({ holds }) => holds === undefined);
  return decisive ?? { holds: true, text: textsOf(judgements) };
}

/** One true condition decides. Without any, it does not hold. */
export function anyOf(judgements: readonly Judgement[]): Judgement {
  const decisive =
    judgements.find(({ holds }) => holds === true) ?? judgements.find(({ holds }) => holds === undefined);
  return decisive ?? { holds: false, text: textsOf(judgements.slice(0, 1)) };
}

export function not({ holds, text }: Judgement): Judgement {
  return { holds: holds === undefined ? undefined : !holds, text };
}

function textsOf(judgements: readonly Judgement[]): string {
  return judgements
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join(", ");
}
