import fc from "fast-check";
import { apiVersionOf, type Kind } from "../../../src/config/kind.ts";
import type { PolicyKind } from "./policy-kinds.ts";

export type Step =
  | { readonly type: "write"; readonly key: string; readonly spec: object }
  /** A mistake in a policy that was valid. */
  | { readonly type: "break"; readonly key: string; readonly mistake: (spec: object) => unknown }
  /** A text that is not written to its end: this share of what follows the kind is missing. */
  | { readonly type: "cut"; readonly key: string; readonly missing: number }
  | { readonly type: "delete"; readonly key: string }
  | { readonly type: "restart" }
  /** The origin of the source cannot be reached, until it is back. Edits there continue. */
  | { readonly type: "away" }
  | { readonly type: "back" };

/** Mostly two policies of one namespace, because they meet. */
const usualKeys = ["one/a", "one/a", "one/a", "one/b", "one/b", "one/b", "two/a", "istio-system/a"];

/** @param cuts whether a text can be incomplete there */
export function histories(policies: PolicyKind, cuts: boolean): fc.Arbitrary<readonly Step[]> {
  const { goodSpec, mistakes, keys = usualKeys } = policies;
  const key = fc.constantFrom(...keys);
  const cut = fc.record({ type: fc.constant("cut" as const), key, missing: fc.integer({ min: 1, max: 100 }) });
  const write = fc.record({ type: fc.constant("write" as const), key, spec: goodSpec });
  const mistaken = fc.record({ type: fc.constant("break" as const), key, mistake: fc.constantFrom(...mistakes) });
  const remove = fc.record({ type: fc.constant("delete" as const), key });
  const occasion = fc.constantFrom<Step>({ type: "restart" }, { type: "restart" }, { type: "away" }, { type: "back" });
  const steps = [write, write, mistaken, mistaken, remove, occasion, occasion, ...(cuts ? [cut] : [])];
  return fc
    .array(fc.oneof<fc.Arbitrary<Step>[]>(...steps), { minLength: 2, maxLength: 20 })
    .map((some) => [...some, { type: "back" }, { type: "restart" }]);
}

/**
 * The texts of all policies of a kind, and the specs of the valid ones that were in force. Mistakes are made in those
 * alone. A server that starts knows only the text with the mistake. So a valid text that no server saw was never
 * in force.
 */
export class Texts {
  readonly texts = new Map<string, string>();
  readonly #kind: Kind;
  readonly #valid = new Map<string, object>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** @param seen whether the source follows its origin now */
  edit(step: Step, seen: boolean): void {
    if (!("key" in step)) return;
    const valid = this.#valid.get(step.key);
    this.#valid.delete(step.key);
    if (step.type === "delete") this.texts.delete(step.key);
    if (step.type === "write") {
      this.texts.set(step.key, this.#text(step.key, step.spec));
      if (seen) this.#valid.set(step.key, step.spec);
    }
    if (step.type === "break" && valid !== undefined)
      this.texts.set(step.key, this.#text(step.key, step.mistake(valid)));
    if (step.type === "cut" && valid !== undefined) this.texts.set(step.key, this.#cut(step, valid));
  }

  #cut({ key: cutKey, missing }: { readonly key: string; readonly missing: number }, valid: object): string {
    const whole = this.#text(cutKey, valid);
    const kindEnd = whole.indexOf("metadata");
    return whole.slice(0, whole.length - Math.ceil(((whole.length - kindEnd) * missing) / 100));
  }

  #text(of: string, spec: unknown): string {
    const [namespace, name] = of.split("/");
    const metadata = { name, namespace };
    return JSON.stringify(
      { apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind, metadata, spec },
      undefined,
      1,
    );
  }
}
