import { conditionKeys, operationFields, sourceFields } from "./policy.ts";

/** Counts what random cases were about, so that a comparison that proves little is noticed. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  readonly witness = (field: string, matched: boolean): void => this.add(`${field} ${matched ? "holds" : "fails"}`);

  /** The forms of fields that never happened. */
  shortfalls(): readonly string[] {
    const fields = Object.keys({ ...sourceFields, ...operationFields, ...conditionKeys });
    const forms = fields
      .flatMap((field) => [field, `not ${field}`])
      .flatMap((form) => [`${form} holds`, `${form} fails`]);
    const outcomes = ["http", "tcp"].flatMap((protocol) =>
      ["allowed", "denied"].map((outcome) => `${protocol} ${outcome}`),
    );
    const wanted = [
      ...outcomes,
      "allowed by a rule",
      "allowed without policies",
      "denied by a rule",
      "denied by none",
      ...forms,
    ];
    return wanted.filter((what) => !this.#counts.has(what));
  }

  text(): string {
    return Array.from(this.#counts)
      .filter(([what]) => /^(?:http|tcp|allowed|denied)/u.test(what))
      .map(([what, count]) => `${what}: ${count}`)
      .toSorted()
      .join(", ");
  }
}

/** Why a request was allowed or denied, for the tally. */
export function reasonOf(allowed: boolean, by: readonly string[], denying: boolean): string {
  if (allowed) return by.length === 0 ? "allowed without policies" : "allowed by a rule";
  return denying ? "denied by a rule" : "denied by none";
}
