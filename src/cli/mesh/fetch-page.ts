import { MeshError, networkReason } from "../../lib/errors.ts";

/** Nobody waits longer for a page that is answered from memory. */
const patienceMs = 10_000;

/** A page of a running server. Throws `not-found` with what the server says about it, and `unavailable`. */
export async function fetchPage(server: string, path: string): Promise<unknown> {
  const response = await get(`http://${server}${path}`, server);
  const body = await response.text();
  if (response.status === 404) throw new MeshError("not-found", body.trim());
  if (!response.ok) throw new MeshError("unavailable", `--server ${server}: ${response.status} ${body.trim()}`);
  return JSON.parse(body) as unknown;
}

async function get(url: string, server: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  } catch (thrown) {
    throw new MeshError("unavailable", `--server ${server}: ${networkReason(thrown)}`, { cause: thrown });
  }
}
