/** One thing that a proxy said no to. */
export interface Blame<Suspect> {
  /** Why, in the proxy's words. */
  readonly message: string;
  /** What it may be about; one of them when there are several. */
  readonly suspects: readonly Suspect[];
}

/** What Envoy says first when it rejects clusters or listeners; a clause per name follows. */
const heading = /^Error adding\/updating (?:cluster|listener)\(s\) /u;

/**
 * Reads a rejection. Envoy names clusters and listeners, one clause each, and often the routes; where it names nothing
 * that was sent, everything that was new is suspected.
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

/** Clauses are parted by commas or by lines, as the version of Envoy has it; both may stand inside one, too. */
function clauseStart(body: string, name: string): number {
  const start = `${name}: `;
  for (let at = body.indexOf(start); at !== -1; at = body.indexOf(start, at + 1)) {
    if (at === 0 || /(?:\n|, )$/u.test(body.slice(0, at))) return at;
  }
  return -1;
}

/** Whether it stands there as a word of its own, not inside a longer name. */
function mentions(reason: string, name: string): boolean {
  if (name === "" || !reason.includes(name)) return false;
  return new RegExp(`(?<![\\w.|/-])${RegExp.escape(name)}(?![\\w|/-]|\\.\\w)`, "u").test(reason);
}
