import { describe, expect, test } from "vitest";
import { effects, effectsOf } from "../../src/config/effect/effects.ts";
import { schemaFields } from "../../src/config/effect/schema-fields.ts";
import type { Kind } from "../../src/config/kind.ts";
import { meshConfig } from "../../src/config/kinds/mesh-config.ts";
import { proxyConfig } from "../../src/config/kinds/proxy-config.ts";
import { workloadGroup } from "../../src/config/kinds/workload-group.ts";
import { kinds } from "../../src/config/kinds.ts";
import { runs } from "../../src/testing/random/seed.ts";
import { claimOf } from "./effects/claim.ts";
import { examples } from "./effects/examples/examples.ts";
import { onlyValues } from "./effects/examples/only-values.ts";
import { changesPods } from "./effects/pod-proof.ts";
import { type FieldEffect, Proof } from "./effects/proof.ts";
import { bootstrapPairs, podPairs } from "./effects/start-settings.ts";

/** Kinds of Kubernetes are not walked: their schemas are the API server's, and ours have the fields alone that are used. */
const istioKinds = kinds.filter((kind) => !kind.builtIn);
const partly = istioKinds.filter((kind) => effectsOf(kind)?.whole === undefined);
const whole = istioKinds.filter((kind) => effectsOf(kind)?.whole !== undefined);

/** For a field that is said to have an effect: one difference is enough. */
const untilSeen = { values: 6, examples: Infinity };

/** For a field that is said to have none. `npm run fuzz 10 test/scenarios/effects.test.ts` tries more. */
const untilBelieved = { values: runs(2), examples: runs(1) };

interface Mistake {
  readonly path: string;
  readonly claim: FieldEffect;
  readonly verdict: FieldEffect;
}

/** The fields of a kind that do not do as the table says, and those of which nothing could be tried. */
async function mistakesIn(kind: Kind, proof: Proof): Promise<readonly Mistake[]> {
  const wrong: Mistake[] = [];
  for (const field of schemaFields(kind.schema)) {
    if (field.hasFields) continue;
    const claim = claimOf(kind, field.path);
    const verdict = await proof.judge(field, claim === "changes" ? untilSeen : untilBelieved);
    if (verdict !== claim) wrong.push({ path: field.path, claim, verdict });
  }
  return wrong;
}

describe("every field", () => {
  test.each(partly.map((kind) => ({ name: kind.kind, kind })))(
    "of a $name changes a byte for a proxy, unless the table says that it does not",
    async ({ kind }) => {
      const untried = onlyValues[kind.kind] ?? {};
      const mistakes = await mistakesIn(kind, new Proof(examplesOf(kind)));
      expect(mistakes.filter(({ path, verdict }) => !(path in untried && verdict === "refused"))).toEqual([]);
    },
    600_000,
  );
});

describe("an injected pod", () => {
  test.each([{ kind: meshConfig }, { kind: proxyConfig }])(
    "depends on the fields of a $kind.kind that the table lists",
    ({ kind }) => {
      const { podFields = [] } = effectsOf(kind) ?? {};
      const changing = [...schemaFields(kind.schema)]
        .filter((field) => !field.hasFields && changesPods(examplesOf(kind), field))
        .map(({ path }) => path);
      expect(changing.filter((path) => !podFields.includes(path) && claimOf(kind, path) !== "changes")).toEqual([]);
      // The real agent is the proof for the others, in test/e2e/agent-settings.test.ts.
      const tried = Object.keys({ ...bootstrapPairs, ...podPairs });
      const ofAgents = new Set(tried.flatMap((field) => [field, `defaultConfig.${field}`]));
      expect(podFields.filter((path) => !changing.includes(path) && !ofAgents.has(path))).toEqual([]);
    },
  );
});

describe("a kind without effect", () => {
  test.each(whole.map((kind) => ({ name: kind.kind, kind })))(
    "$name changes no byte by any of its fields, nor by being there",
    async ({ kind }) => {
      const proof = new Proof(examplesOf(kind));
      const wrong = await mistakesIn(kind, proof);
      const untried = new Map(Object.keys(onlyValues[kind.kind] ?? {}).map((path) => [path, "refused"]));
      expect(new Map(wrong.map(({ path, verdict }) => [path, verdict]))).toEqual(untried);
      expect(await proof.judgePresence()).toBe("unchanged");
    },
  );
});

test("every kind of Istio is walked", () => {
  expect(istioKinds.filter((kind) => examplesOf(kind).length === 0).map(({ kind }) => kind)).toEqual([]);
});

test("every path of the table is a field of its kind", () => {
  const unknown = effects.flatMap(({ kind, fields = {}, serverFields = {}, ...lists }) => {
    const { bootstrapFields = [], podFields = [], refused = [] } = lists;
    const paths = new Set([...schemaFields(kind.schema)].map(({ path }) => path));
    return [...Object.keys(fields), ...Object.keys(serverFields), ...bootstrapFields, ...podFields, ...refused]
      .filter((path) => !paths.has(path))
      .map((path) => `${kind.kind} ${path}`);
  });
  expect(unknown).toEqual([]);
});

describe("a reason for no effect", () => {
  test("points at fields that have an effect", () => {
    const rows = effects.flatMap(({ whole: row, fields = {} }) => [...(row ? [row] : []), ...Object.values(fields)]);
    const pointed = [...new Set(rows.flatMap(({ instead = [] }) => instead))];
    const wrong = pointed.filter((field) => {
      const [name = "", path = ""] = field.split(" ");
      const kind = partly.find((each) => each.kind === name);
      const isField = kind !== undefined && [...schemaFields(kind.schema)].some((each) => each.path === path);
      return !isField || claimOf(kind, path) !== "changes";
    });
    expect([pointed.length > 5, wrong]).toEqual([true, []]);
  });

  test("that it counts whether a WorkloadGroup has a probe is true", async () => {
    const probe = [...schemaFields(workloadGroup.schema)].filter(({ path }) => path === "probe");
    const proof = new Proof(examplesOf(workloadGroup));
    expect(await Promise.all(probe.map((field) => proof.judge(field, untilSeen)))).toEqual(["changes"]);
  });
});

function examplesOf({ kind }: Kind) {
  return examples.filter(({ subject }) => subject.kind === kind);
}
