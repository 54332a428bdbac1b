import type { ShownSecret } from "../../admin/pilot/secrets.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { textTable } from "../text/text-table.ts";

/** The answer of `/debug/secretz`. */
export interface ProxySecrets {
  readonly node: string;
  readonly secrets: readonly ShownSecret[];
}

/** Throws `unavailable` and `not-found`. */
export async function fetchSecrets(server: string, node: string): Promise<ProxySecrets> {
  return (await fetchPage(server, `/debug/secretz?proxyID=${encodeURIComponent(node)}`)) as ProxySecrets;
}

/** The secrets that a proxy asked for, and where they are from or why they are not sent. It has no more columns. */
export function secretTable({ secrets }: ProxySecrets): string {
  const rows = secrets.map((secret) => [secret.name, secret.state.toUpperCase(), explanation(secret)]);
  return textTable(["NAME", "STATE", "OBJECT OR REASON"], rows);
}

function explanation(secret: ShownSecret): string {
  if (secret.state === "refused") return secret.message;
  if (secret.state === "missing") return `no ${secret.objects.join(" and no ")}`;
  return secret.reference === "" ? secret.object : `${secret.object} (${secret.reference})`;
}
