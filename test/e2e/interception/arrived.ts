import type { Explanation } from "../../../src/explain/explanation.ts";
import type { CallReply } from "../support/pod/client.ts";

/** The servers, by the address where they listen. */
const servers: Readonly<Record<string, string>> = {
  "10.77.0.2:18101": "local",
  "10.77.0.2:18102": "unannounced",
  "10.77.0.2:18103": "status 503",
  "10.77.0.3:80": "status 503",
  "10.77.0.3:8101": "v1",
  "10.77.0.3:8102": "v2",
  "10.77.0.3:8103": "stranger",
  "10.77.0.3:9101": "raw",
  "10.77.0.3:9443": "secure",
  "10.77.0.3:9444": "other",
};

/** The name of the server that answered. Otherwise the status, or that the connection broke. */
export function arrivedAt(reply: CallReply): string {
  if ("failed" in reply) return "refused";
  if (reply.status === undefined) return reply.body;
  return reply.headers?.["x-echo"] ?? `status ${reply.status}`;
}

/** The servers that may answer according to the explanation, in the same words. */
export function promisedBy({ outcome, steps }: Explanation): readonly string[] {
  if (outcome.type === "response") return [`status ${outcome.status}`];
  if (outcome.type === "refused") return [outcome.status === undefined ? "refused" : `status ${outcome.status}`];
  const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
  return endpoints.map(({ address }) => servers[address] ?? address);
}
