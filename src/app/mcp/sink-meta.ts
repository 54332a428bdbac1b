import { MeshError } from "../../lib/errors.ts";
import type { Metadata } from "../../lib/grpc/grpc-stream.ts";

/** Reads `KEY=VALUE` pairs; of a repeated key all values count. Throws `bad-option`. */
export function parseSinkMeta(pairs: readonly string[]): Metadata {
  const values = new Map<string, string[]>();
  for (const pair of pairs) {
    const [key = "", value = "", ...more] = pair.split("=");
    // The names of HTTP/2's headers: another one would keep every stream from opening.
    if (!/^[a-z0-9._-]+$/i.test(key) || value === "" || more.length > 0) {
      throw new MeshError("bad-option", `--mcp-sink-meta: expected KEY=VALUE, found ${JSON.stringify(pair)}`);
    }
    const name = key.toLowerCase();
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return Object.fromEntries(values);
}
