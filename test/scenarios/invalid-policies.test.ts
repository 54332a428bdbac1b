import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { isRefused } from "../../src/config/finding.ts";
import type { Kind } from "../../src/config/kind.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { histories, type Step, Texts } from "./invalid-policies/history.ts";
import { etcdHolder, fileHolder, kubeHolder, type PolicyHolder } from "./invalid-policies/holders.ts";
import { legacyPolicy, legacySwitch } from "./invalid-policies/legacy-kinds.ts";
import { modernKinds, type PolicyKind } from "./invalid-policies/policy-kinds.ts";
import { fullStateHolder, incrementalHolder, messageOf } from "./invalid-policies/received-holders.ts";

interface Origin {
  readonly called: string;
  readonly open: (kind: Kind) => PolicyHolder;
  /** Whether a text can be incomplete there. */
  readonly cuts: boolean;
  /** The policy of a text without mistakes. */
  readonly valid: (kind: Kind, text: string) => Config | undefined;
}

function writtenPolicy(kind: Kind, text: string): Config | undefined {
  return parseConfigs({ text, file: "a", source: "test", kinds: [kind], defaultNamespace: "default" }).configs[0];
}

/** A message has fewer places for mistakes than a text. */
function sentPolicy(kind: Kind, text: string): Config | undefined {
  const config = messageOf(kind, text);
  return config === undefined || isRefused(kind.validate?.(config, undefined) ?? []) ? undefined : config;
}

const origins: readonly Origin[] = [
  { called: "files", open: fileHolder, cuts: true, valid: writtenPolicy },
  { called: "keys of etcd", open: etcdHolder, cuts: true, valid: writtenPolicy },
  { called: "objects of Kubernetes", open: kubeHolder, cuts: false, valid: writtenPolicy },
  { called: "full states of a peer", open: fullStateHolder, cuts: false, valid: sentPolicy },
  { called: "differences from a peer", open: incrementalHolder, cuts: false, valid: sentPolicy },
];

/** One mesh whose policies of one kind come from one origin. */
class PolicyHistory {
  readonly #origin: Origin;
  readonly #policies: PolicyKind;
  readonly #texts: Texts;
  #holder: PolicyHolder;
  #away = false;
  /** The versions that were in force last, before a restart or a loss of the origin, too. */
  #last: ReadonlyMap<string, Config> = new Map();

  constructor(origin: Origin, policies: PolicyKind) {
    this.#origin = origin;
    this.#policies = policies;
    this.#texts = new Texts(policies.kind);
    this.#holder = origin.open(policies.kind);
  }

  /** The requests that proxies allow after a step, but neither a valid policy nor an earlier version in force allows. */
  async widened(step: Step): Promise<readonly string[]> {
    this.#texts.edit(step, !this.#away);
    if (step.type === "away") this.#away = true;
    if (step.type === "back") this.#away = false;
    if (step.type === "restart") this.#holder = this.#origin.open(this.#policies.kind);
    // While a source does not say which policies there are, proxies keep what they have.
    if (this.#away || !(await this.#holder.take(this.#texts.texts))) return [];
    const bound = this.#policies.allowed(this.#boundary());
    this.#last = new Map(this.#holder.policies);
    return [...this.#policies.allowed([...this.#last.values()])].filter((request) => !bound.has(request));
  }

  /** Each valid policy as it is, and each policy with a mistake as it was in force last. */
  #boundary(): readonly Config[] {
    const { kind } = this.#policies;
    return Array.from(this.#texts.texts, ([key, text]) => this.#origin.valid(kind, text) ?? this.#last.get(key)).filter(
      (config) => config !== undefined,
    );
  }
}

async function widenings(steps: readonly Step[], origin: Origin, policies: PolicyKind): Promise<readonly unknown[]> {
  const mesh = new PolicyHistory(origin, policies);
  const found: unknown[] = [];
  for (const [index, step] of steps.entries()) {
    const wider = await mesh.widened(step);
    if (wider.length > 0) found.push({ index, step, wider });
  }
  return found;
}

const policyKinds = [...modernKinds, legacySwitch, legacyPolicy];

describe.each(policyKinds)("no mistake, no restart and no lost source widens what $kind.kind allows", (policies) => {
  test.each(origins)("policies in $called", async (origin) => {
    await fc.assert(
      fc.asyncProperty(histories(policies, origin.cuts), async (steps) => {
        expect(await widenings(steps, origin, policies)).toEqual([]);
      }),
      { seed, numRuns: runs(60) },
    );
  });
});
