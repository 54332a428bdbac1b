import fc from "fast-check";
import type { ObjectEdit, WrittenObject } from "./written-objects.ts";

const apiVersion = "extensions.istio.io/v1alpha1";

/** Few names, so that edits change objects in place: then the list of a proxy's extensions stays the same. */
const metadata = fc.record({
  namespace: fc.constantFrom("a", "a", "a", "a", "b", "istio-system"),
  name: fc.constantFrom("one", "one", "one", "one", "two"),
});

/** The fields that both kinds have. */
const placed = {
  selector: fc.constantFrom({ matchLabels: { app: "x" } }, { matchLabels: { app: "edge" } }),
  priority: fc.constantFrom(1, 2, 10),
  match: fc.constantFrom(
    [{ mode: "SERVER" }],
    [{ mode: "CLIENT", ports: [{ number: 80 }] }],
    [{ ports: [{ number: 82 }] }],
  ),
};

const module = fc.record(
  {
    url: fc.constantFrom("file:///opt/one.wasm", "oci://hub.example.com/one:v1", "https://example.com/one.wasm"),
    type: fc.constantFrom("HTTP", "NETWORK"),
    pluginConfig: fc.constantFrom({ mode: "strict" }, { mode: "lax" }),
    failStrategy: fc.constantFrom("FAIL_OPEN", "FAIL_CLOSE"),
    imagePullPolicy: fc.constant("Always"),
    imagePullSecret: fc.constant("shop-cert"),
  },
  { requiredKeys: ["url"] },
);

export const plugin: fc.Arbitrary<WrittenObject> = fc
  .record({
    metadata,
    module,
    rest: fc.record({ phase: fc.constantFrom("AUTHN", "STATS"), ...placed }, { requiredKeys: [] }),
  })
  .map(({ rest, module: filter, ...object }) => ({
    apiVersion,
    kind: "WasmPlugin",
    ...object,
    spec: { ...filter, ...rest },
  }));

const script = fc.constantFrom({ lua: { inlineCode: "-- one" } }, { lua: { inlineCode: "-- two" } });

const extension: fc.Arbitrary<WrittenObject> = fc
  .record({
    metadata,
    filter: fc.oneof(
      script,
      module.map((wasm) => ({ wasm })),
    ),
    rest: fc.record({ phase: fc.constantFrom("AUTHZ", "STATS"), ...placed }, { requiredKeys: [] }),
  })
  .map(({ rest, filter, ...object }) => ({
    apiVersion,
    kind: "TrafficExtension",
    ...object,
    spec: { ...filter, ...rest },
  }));

/** Filters from outside come, change in place and go. */
export const extensionEdit: fc.Arbitrary<ObjectEdit> = fc.record({
  object: fc.oneof({ weight: 3, arbitrary: plugin }, { weight: 1, arbitrary: extension }),
  deleted: fc.nat(5).map((chance) => chance === 0),
});
