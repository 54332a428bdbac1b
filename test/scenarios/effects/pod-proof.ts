import type { Config } from "../../../src/config/config.ts";
import type { SchemaField } from "../../../src/config/effect/schema-fields.ts";
import { meshConfig } from "../../../src/config/kinds/mesh-config.ts";
import { injectionSource } from "../../../src/config/mesh/injection-source.ts";
import { injectObject } from "../../../src/inject/inject-object.ts";
import { defaultSettings, discoveryAddressOf } from "../../../src/inject/settings/injection-settings.ts";
import { assert } from "../../../src/lib/assert.ts";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import { type Example, setsField, validVariants } from "./proof.ts";

/** How many values of a field are compared in each place. */
const maxValues = 3;

/**
 * Whether a field of the subject of an example changes an injected pod, beside the settings that the agent reads. Looks
 * where the field is set already, or else in the first example.
 */
export function changesPods(examples: readonly Example[], { fields }: SchemaField): boolean {
  const likely = examples.filter((example) => setsField(example, fields));
  return (likely.length > 0 ? likely : examples.slice(0, 1)).some(({ subject }) =>
    validVariants(subject, fields).some((group) => new Set(Iterator.from(group).take(maxValues).map(podWith)).size > 1),
  );
}

/** All parts of the injection that depend on the mesh touch it. */
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "reviews-0", namespace: "shop", labels: { app: "reviews" } },
  spec: { containers: [{ name: "app", image: "app", readinessProbe: { httpGet: { port: 8080 } } }] },
};

function podWith(object: Config): string {
  const isMesh = object.kind === meshConfig.kind;
  const objects = { meshConfigs: isMesh ? [object] : [], proxyConfigs: isMesh ? [] : [object] };
  const source = injectionSource(objects, discoveryAddressOf(defaultSettings));
  const context = { settings: defaultSettings, ...source, defaultNamespace: "shop", revisions: ["default"] };
  const { value, outcomes } = injectObject(pod, context);
  assert(outcomes[0]?.type === "injected", "the pod is injected");
  return JSON.stringify(value, (_, each: unknown) => (isForAgent(each) ? null : each));
}

function isForAgent(value: unknown): boolean {
  return isMapping(value) && value["name"] === "PROXY_CONFIG";
}
