import { isMapping } from "../../../../lib/is-mapping.ts";
import { parseJson } from "../../../../lib/parse-json.ts";
import type { RegistryInstance, RegistryPort } from "../../registry/registry-service.ts";

export type InstanceReading =
  | { readonly type: "instance"; readonly instance: RegistryInstance }
  /** The instance itself reports that it takes no requests. */
  | { readonly type: "out of service" }
  | { readonly type: "malformed"; readonly problem: string };

/** Whether a node holds an instance, valid or not. Folders hold nothing, or the address of their creator. */
export function isInstanceText(text: string): boolean {
  return text.trimStart().startsWith("{");
}

/** Reads the node of Curator's service discovery, with Spring Cloud's metadata if present. */
export function readInstance(id: string, text: string, protocol: string): InstanceReading {
  const fields = parseJson(text);
  if (!isMapping(fields)) return { type: "malformed", problem: "contains no JSON object" };
  const { address, port, sslPort, payload, enabled } = fields;
  if (typeof address !== "string" || address === "") return { type: "malformed", problem: "has no address" };
  const ports = [...portOf(port, protocol), ...portOf(sslPort, "HTTPS")];
  if (ports.length === 0) return { type: "malformed", problem: "has neither a port nor an sslPort" };
  const labels = metadataOf(payload);
  const status = labels["instance_status"];
  if (enabled === false || (status !== undefined && status.toUpperCase() !== "UP")) return { type: "out of service" };
  return { type: "instance", instance: { id, address, ports, labels } };
}

/** Curator writes null for a missing port. */
function portOf(number: unknown, protocol: string): readonly RegistryPort[] {
  return typeof number === "number" && number !== 0 ? [{ number, protocol }] : [];
}

function metadataOf(payload: unknown): Readonly<Record<string, string>> {
  const metadata = isMapping(payload) ? payload["metadata"] : undefined;
  if (!isMapping(metadata)) return {};
  const texts = Object.entries(metadata).flatMap(([key, value]) =>
    ["string", "number", "boolean"].includes(typeof value) ? [[key, String(value)] as const] : [],
  );
  return Object.fromEntries(texts);
}
