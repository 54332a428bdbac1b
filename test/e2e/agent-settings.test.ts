import { expect, test } from "vitest";
import { effectsOf } from "../../src/config/effect/effects.ts";
import { meshConfig } from "../../src/config/kinds/mesh-config.ts";
import type { Pod } from "../../src/inject/pod.ts";
import { containerOf, injectedPod } from "../../src/testing/config/injection.ts";
import { bootstrapPairs, idlePairs, podFiles, podPairs } from "../scenarios/effects/start-settings.ts";
import { LoneAgents } from "./support/agent/lone-agent.ts";
import { freePort } from "./support/free-port.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeAgents = await describeWith("pilot-agent");

const podYaml = `
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: web, readinessProbe: {httpGet: {port: 80}}}]}
`;

/** Paths as in the table of effects. */
const prefixed = (fields: readonly string[]) => fields.map((field) => `defaultConfig.${field}`);
const { podFields = [], fields: idleFields = {} } = effectsOf(meshConfig) ?? {};
const changing = Object.entries({ ...bootstrapPairs, ...podPairs }).filter(([field]) =>
  podFields.includes(`defaultConfig.${field}`),
);
const idle = Object.entries(idlePairs);

describeAgents("Istio's agent in an injected pod", () => {
  const agents = shared(async (stack) => stack.use(await LoneAgents.create(podFiles)));
  const known = new Map<string, Promise<unknown>>();

  /** The pod and the work of its agent in a mesh with this `defaultConfig`. */
  function seenWith(config: object): Promise<unknown> {
    const key = JSON.stringify(config);
    const seen = known.get(key) ?? see(config);
    known.set(key, seen);
    return seen;
  }

  /** Agents run at the same time, so each has a port of its own. */
  async function see(config: object): Promise<unknown> {
    const statusPort = await freePort();
    const base = { binaryPath: "./envoy", statusPort, terminationDrainDuration: "0.001s" };
    const pod = injectedPod(podYaml, { mesh: JSON.stringify({ defaultConfig: { ...base, ...config } }) });
    const seen = { start: await agents().start(environmentOf(pod)), pod: withoutConfig(pod) };
    // Larger numbers may contain its digits.
    const port = new RegExp(`(?<!\\d)${statusPort}(?!\\d)`, "gu");
    return JSON.parse(JSON.stringify(seen).replaceAll(port, "0"));
  }

  test("is tried with every field of the table", () => {
    const tried = prefixed(changing.map(([field]) => field));
    expect([...tried, "enablePrometheusMerge"].toSorted()).toEqual(podFields.toSorted());
    expect(prefixed(idle.map(([field]) => field)).filter((field) => !(field in idleFields))).toEqual([]);
  });

  test.concurrent.each(changing)("%s changes the pod or the work of the agent", async (_, [before, after]) => {
    expect(await seenWith(after)).not.toEqual(await seenWith(before));
  });

  test.concurrent.each(idle)("%s changes nothing, as the table says", async (_, [before, after]) => {
    expect(await seenWith(after)).toEqual(await seenWith(before));
  });
});

/** The variables with a value. Kubernetes would fill in the others. */
function environmentOf(pod: Pod): Readonly<Record<string, string>> {
  const { env = [] } = containerOf(pod, "istio-proxy");
  const written = env.flatMap(({ name, value }) => (typeof value === "string" ? [[name, value] as const] : []));
  const ofKubernetes = { POD_NAME: "web-0", POD_NAMESPACE: "shop", INSTANCE_IP: "127.0.0.1", SERVICE_ACCOUNT: "web" };
  const labels = { ISTIO_METAJSON_LABELS: JSON.stringify(pod.metadata.labels) };
  return { ...Object.fromEntries(written), ...ofKubernetes, ...labels };
}

/** The pod without the settings that the agent alone reads. */
function withoutConfig(pod: Pod): unknown {
  const text = JSON.stringify(pod, (_, value: unknown) =>
    typeof value === "object" && value !== null && Reflect.get(value, "name") === "PROXY_CONFIG" ? null : value,
  );
  return JSON.parse(text);
}
