import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { allowedRequests } from "./invalid-policies/allowed-requests.ts";
import { etcdHolder, fileHolder, kubeHolder, type PolicyHolder } from "./invalid-policies/holders.ts";

const keys = ["one/a", "one/b", "two/a", "istio-system/a"];

const rule = fc.oneof(
  fc.constant({}),
  fc.subarray(["/a", "/b", "/c"], { minLength: 1 }).map((paths) => ({ to: [{ operation: { paths } }] })),
);
const goodSpec = fc.record({
  action: fc.constantFrom("ALLOW", "DENY"),
  app: fc.constantFrom("", "x", "y"),
  rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
});

function specOf({ app, ...rest }: { readonly app: string; readonly rules: readonly object[] }): object {
  return { ...rest, ...(app !== "" && { selector: { matchLabels: { app } } }) };
}

/** Mistakes that people make. The selector of some of them cannot be read. */
const mistakes: readonly ((spec: object) => unknown)[] = [
  (spec) => ({ ...spec, rules: [{ from: [] }] }),
  (spec) => ({ ...spec, action: "DENNY" }),
  (spec) => ({ ...spec, ruels: [] }),
  (spec) => ({ ...spec, selector: { matchLabels: { app: 7 } } }),
  (spec) => ({ ...spec, selector: { labels: { app: "x" } } }),
  (spec) => ({ ...spec, rules: [{ to: [{ operation: { ports: ["http"] } }] }] }),
  () => 7,
  () => null,
];

type Step =
  | { readonly type: "write"; readonly key: string; readonly spec: object }
  /** A mistake in a policy that was valid. */
  | { readonly type: "break"; readonly key: string; readonly mistake: (spec: object) => unknown }
  /** A text that is not written to its end: this share of what follows the kind is missing. */
  | { readonly type: "cut"; readonly key: string; readonly missing: number }
  | { readonly type: "delete"; readonly key: string }
  | { readonly type: "restart" };

function textOf(key: string, spec: unknown): string {
  const [namespace, name] = key.split("/");
  const metadata = { name, namespace };
  return JSON.stringify(
    { apiVersion: "security.istio.io/v1", kind: "AuthorizationPolicy", metadata, spec },
    undefined,
    1,
  );
}

const key = fc.constantFrom(...keys);
const cut = fc.record({ type: fc.constant("cut" as const), key, missing: fc.integer({ min: 1, max: 100 }) });

function history(...more: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<readonly Step[]> {
  return fc.array(
    fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ type: fc.constant("write" as const), key, spec: goodSpec.map(specOf) }),
      fc.record({ type: fc.constant("break" as const), key, mistake: fc.constantFrom(...mistakes) }),
      fc.record({ type: fc.constant("delete" as const), key }),
      fc.constant({ type: "restart" as const }),
      ...more,
    ),
    { minLength: 2, maxLength: 16 },
  );
}

/** The texts of all policies, and the specs of those that are valid. */
class Texts {
  readonly texts = new Map<string, string>();
  readonly #valid = new Map<string, object>();

  edit(step: Step): void {
    if (step.type === "restart") return;
    const valid = this.#valid.get(step.key);
    this.#valid.delete(step.key);
    if (step.type === "delete") this.texts.delete(step.key);
    if (step.type === "write") {
      this.texts.set(step.key, textOf(step.key, step.spec));
      this.#valid.set(step.key, step.spec);
    }
    if (step.type === "break" && valid !== undefined) this.texts.set(step.key, textOf(step.key, step.mistake(valid)));
    if (step.type === "cut" && valid !== undefined) {
      const whole = textOf(step.key, valid);
      const kind = whole.indexOf("metadata");
      this.texts.set(step.key, whole.slice(0, whole.length - Math.ceil(((whole.length - kind) * step.missing) / 100)));
    }
  }
}

/** The steps after which proxies allow more, although no valid policy was written and none was deleted. */
async function widenings(steps: readonly Step[], open: () => PolicyHolder): Promise<readonly unknown[]> {
  const mesh = new Texts();
  const { texts } = mesh;
  const found: unknown[] = [];
  let holder = open();
  await holder.take(texts);
  let before = allowedRequests(holder.policies);
  for (const [index, step] of steps.entries()) {
    mesh.edit(step);
    if (step.type === "restart") holder = open();
    // While a source does not say which policies there are, proxies keep what they have.
    const served = await holder.take(texts);
    const after = served ? allowedRequests(holder.policies) : before;
    const mayWiden = step.type === "write" || step.type === "delete";
    const wider = [...after].filter((request) => !before.has(request));
    if (!mayWiden && wider.length > 0) found.push({ index, step, wider, texts: [...texts] });
    before = after;
  }
  return found;
}

const options = { seed, numRuns: runs(100) };

describe("no mistake in a policy, and no restart, allows a request that was denied before", () => {
  test.each([
    ["files", history(cut), fileHolder],
    ["keys of etcd", history(cut), etcdHolder],
    ["objects of Kubernetes", history(), kubeHolder],
  ] as const)("policies in %s", async (_, steps, open) => {
    await fc.assert(
      fc.asyncProperty(steps, async (each) => {
        expect(await widenings(each, open)).toEqual([]);
      }),
      options,
    );
  });
});
