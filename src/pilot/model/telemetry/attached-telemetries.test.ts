import { expect, test } from "vitest";
import { fakeTelemetry } from "../../../testing/model/fake-telemetry.ts";
import { attachedTelemetries } from "./attached-telemetries.ts";

const selector = { selector: { matchLabels: { app: "web" } } };
const mesh = fakeTelemetry({}, { namespace: "istio-system", name: "mesh" });
const younger = fakeTelemetry({}, { namespace: "istio-system", name: "younger" });
const edge = fakeTelemetry(selector, { namespace: "istio-system", name: "edge" });
const shop = fakeTelemetry({}, { namespace: "shop", name: "shop" });
const other = fakeTelemetry({}, { namespace: "shop", name: "other" });
const web = fakeTelemetry(selector, { namespace: "shop", name: "web" });
const more = fakeTelemetry(selector, { namespace: "shop", name: "more" });

const all = [mesh, younger, edge, web, shop, other, more];

test("the mesh's Telemetry comes first, then that of the namespace, then those of the workload", () => {
  const attached = attachedTelemetries(all, { namespace: "shop", rootNamespace: "istio-system" });
  expect(attached.map(({ name }) => name)).toEqual(["mesh", "shop", "web", "more"]);
});

test("a workload of the root namespace has no namespace's Telemetry beside the mesh's", () => {
  const attached = attachedTelemetries(all, { namespace: "istio-system", rootNamespace: "istio-system" });
  expect(attached.map(({ name }) => name)).toEqual(["mesh", "edge"]);
});
