import { generationObjects, type WrittenObject } from "../oracle/generations.ts";

const host = "counter.shop.svc.cluster.local";

/**
 * The objects of a generation for an origin that delivers kinds one after the other, as an API server, MCP and xDS do: a rule of
 * one generation fits the services and routes of any other.
 */
export function independentObjects(generation: number): readonly WrittenObject[] {
  return generationObjects(generation).map((object) => ({
    ...object,
    spec: { ...object.spec, ...specOf(object.kind, generation) },
  }));
}

function specOf(kind: string, generation: number): object {
  const mark = `gen-${generation}`;
  const labels = { version: "any" };
  if (kind === "ServiceEntry") return { endpoints: [{ address: "10.1.0.3", locality: `${mark}/zone`, labels }] };
  if (kind === "DestinationRule") return { subsets: [{ name: mark, labels }] };
  if (kind === "VirtualService") return { http: [{ name: mark, route: [{ destination: { host } }] }] };
  return {};
}
