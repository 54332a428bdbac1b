/** One resource that a proxy rejected. */
export interface Blame<Suspect> {
  /** The reason, as the proxy reports it. */
  readonly message: string;
  /** The possible causes; if there are several, one of them is the cause. */
  readonly suspects: readonly Suspect[];
}

/** The beginning of Envoy's message when it rejects clusters or listeners; a clause per name follows. */
const heading = /^Error adding\/updating (?:cluster|listener)\(s\) /u;

/**
 * Reads a rejection. Envoy names clusters and listeners, one clause each, and often the routes; if it names no sent
 * resource, every new resource is a suspect.
 */
export function blameFor<Suspect extends { readonly name: string }>(
  reason: string,
  suspects: readonly Suspect[],
): readonly Blame<Suspect>[] {
  const clauses = clausesIn(reason, suspects);
  if (clauses.length > 0) return clauses;
  const mentioned = suspects.filter(({ name }) => mentions(reason, name));
  return [{ message: reason.trim(), suspects: mentioned.length > 0 ? mentioned : suspects }];
}

function clausesIn<Suspect extends { readonly name: string }>(
  reason: string,
  suspects: readonly Suspect[],
): readonly Blame<Suspect>[] {
  if (!heading.test(reason)) return [];
  const body = reason.replace(heading, "");
  const found = suspects
    .flatMap((suspect) => {
      const at = clauseStart(body, suspect.name);
      return at === -1 ? [] : [{ suspect, at, messageAt: at + suspect.name.length + 2 }];
    })
    .toSorted((a, b) => a.at - b.at);
  return found.map(({ suspect, messageAt }, index) => ({
    message: body.slice(messageAt, found[index + 1]?.at).replace(/[,\s]+$/u, ""),
    suspects: [suspect],
  }));
}

/** Commas or line breaks separate clauses, depending on the version of Envoy. Both may also occur inside a clause. */
function clauseStart(body: string, name: string): number {
  return body.search(around("(?<=^|\\n|, )", name, ": "));
}

/** Whether the name occurs as a whole word, not inside a longer name. */
function mentions(reason: string, name: string): boolean {
  return name !== "" && reason.includes(name) && around("(?<![\\w.|/-])", name, "(?![\\w|/-]|\\.\\w)").test(reason);
}

/** The name as it is written, between two patterns. */
function around(before: string, name: string, after: string): RegExp {
  return new RegExp(`${before}${RegExp.escape(name)}${after}`, "u");
}
