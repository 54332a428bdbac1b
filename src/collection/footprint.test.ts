import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import { Graph } from "./graph.ts";

const objects = 5_000;

/** The number of Maps and Sets in the process. Garbage is collected first. */
function containers(): number {
  return queryObjects(Map, { format: "count" }) + queryObjects(Set, { format: "count" });
}

test("derived collections and groups need no Map and no Set per object", () => {
  const graph = new Graph();
  const hosts = graph.input<{ readonly host: string }>("hosts");
  const ports = graph.input<{ readonly port: number }>("ports");
  const services = graph.derive({
    name: "services",
    from: hosts,
    reads: { ports },
    key: ({ host }) => host,
    *to({ host }, reads, key) {
      yield { host, port: reads.ports.get(key) };
    },
  });
  const byNamespace = graph.group({ name: "by namespace", from: services, keys: (_, key) => [key.slice(0, 4)] });
  const before = containers();
  graph.batch(() => {
    for (let index = 0; index < objects; index += 1) {
      const key = `ns-${index % 10}/service-${index}`;
      hosts.set(key, { host: key });
      ports.set(key, { port: index });
    }
  });
  expect(services.snapshot().size).toBe(objects);
  expect(byNamespace.snapshot().size).toBe(10);
  // Shards take a fraction. With Maps for single outputs and keys, and 1024 shards, these objects needed 23 000.
  expect(containers() - before).toBeLessThan(objects / 2);
});
