import type { Issue } from "../../../../config/issue.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { RegistryPart } from "../../registry/registry-state.ts";
import { badNode, type Layout } from "../layout.ts";
import { RememberedReadings } from "../remembered-readings.ts";
import { aerakiParameters } from "./aeraki.ts";
import { type DubboOptions, dubboService, type NamedProvider } from "./dubbo-service.ts";
import { providerLabels } from "./provider-labels.ts";
import { type Provider, readProvider } from "./provider-url.ts";
import { type ServiceKey, serviceKeyText } from "./service-key.ts";

/** Nodes beside the interfaces. */
const notInterfaces = new Set(["config", "metadata", "mapping"]);

/** Dubbo's registry by interfaces: `/dubbo/com.acme.Cart/providers/dubbo%3A%2F%2F10.0.0.7%3A20880…`. */
export function dubboLayout(options: DubboOptions): Layout {
  const read = nodeReader(options);
  return {
    roleOf: ([name = "", provider]) =>
      provider !== undefined ? "member" : notInterfaces.has(name) ? "none" : "folder",
    listedAt: ([name]) => (name === undefined ? "" : `/${name}/providers`),
    isFolder: () => false,
    openFolder([name = ""], reference) {
      const readings = new RememberedReadings(read);
      return (members) => {
        const sorted = new Map([...members].toSorted(([a], [b]) => compareTexts(a, b)));
        return partOf({ name, reference, readings: readings.of(sorted) }, options);
      };
    },
  };
}

type NodeReading =
  | { readonly type: "provider"; readonly provider: NamedProvider }
  | { readonly type: "foreign" }
  | { readonly type: "malformed"; readonly node: string; readonly problem: string };

function nodeReader({ naming, schemes, ignoredLabels }: DubboOptions): (node: string) => NodeReading {
  const wanted = new Set(schemes);
  const ignored = new Set([...ignoredLabels, ...(naming === "dns" ? aerakiParameters : [])]);
  return (node) => {
    const reading = readProvider(node, wanted);
    if (reading.type === "malformed") return { ...reading, node };
    if (reading.type === "foreign") return reading;
    const labels = providerLabels(reading.provider.parameters, ignored);
    return { type: "provider", provider: { ...reading.provider, node, labels } };
  };
}

interface Listing {
  readonly name: string;
  readonly reference: string;
  readonly readings: readonly NodeReading[];
}

function partOf({ name, reference, readings }: Listing, options: DubboOptions): RegistryPart {
  const issues: Issue[] = [];
  const byKey = new Map<string, { readonly key: ServiceKey; readonly providers: NamedProvider[] }>();
  for (const reading of readings) {
    if (reading.type === "malformed") issues.push(badNode(`${reference}/providers/${reading.node}`, reading.problem));
    if (reading.type !== "provider") continue;
    const key = keyOf(name, reading.provider);
    const text = serviceKeyText(key);
    const group = byKey.get(text) ?? { key, providers: [] };
    byKey.set(text, group);
    group.providers.push(reading.provider);
  }
  const services = Array.from(byKey.values(), (group) => dubboService({ ...group, reference }, options, issues));
  return { services, issues };
}

function keyOf(name: string, { parameters }: Provider): ServiceKey {
  const either = (key: string) => parameters.get(key) || parameters.get(`default.${key}`) || "";
  return { interfaceName: name, group: either("group"), version: either("version") };
}
