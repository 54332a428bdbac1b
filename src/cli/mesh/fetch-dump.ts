import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { ConfigDump } from "./proxy-config.ts";

/** Nobody waits longer for a page that is answered from memory. */
const patienceMs = 10_000;

/** What a running server sent to a proxy that is connected to it. Throws `unavailable` and `not-found`. */
export async function fetchDump(server: string, node: string): Promise<ConfigDump> {
  const url = `http://${server}/debug/resources?proxyID=${encodeURIComponent(node)}`;
  const response = await get(url, server);
  const body = await response.text();
  if (response.status === 404) throw new MeshError("not-found", body.trim());
  if (!response.ok) throw new MeshError("unavailable", `--server ${server}: ${response.status} ${body.trim()}`);
  return JSON.parse(body) as ConfigDump;
}

async function get(url: string, server: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  } catch (thrown) {
    const { cause, message } = errorFrom(thrown);
    const reason = cause === undefined ? message : errorFrom(cause).message;
    throw new MeshError("unavailable", `--server ${server}: ${reason}`, { cause: thrown });
  }
}
