import recorded from "../../bench/sizing/recorded.json" with { type: "json" };
import { sizedProxies, sizedServices, type SizingResults } from "../../bench/sizing/recorded.ts";
import { objectBytes as bytesOf } from "../../src/galley/source/room/object-bytes.ts";
import { roomLimitsOf } from "../../src/galley/source/room/room.ts";
import { markdownTable } from "./table.ts";

const results: SizingResults = recorded;
const heaps = [256, 512, 1024, 2048, 4096];
const mib = 2 ** 20;
/** The words for an item of each kind. */
const items: Readonly<Record<string, string>> = {
  ServiceEntry: "endpoint",
  VirtualService: "route",
  DestinationRule: "subset",
  AuthorizationPolicy: "rule",
};

/** docs/reference/sizing.md */
export function sizingPage(): string {
  const objects = Object.entries(results.objects).map(([kind, bytes]) => [
    kind,
    kilobytes(bytes),
    thousands((1024 * mib) / bytes),
    `${kilobytes(results.items[kind] ?? 0)} per ${items[kind] ?? "item"}`,
  ]);
  const proxies = Object.entries(results.proxies).map(([protocol, bytes]) => [
    protocol,
    kilobytes(bytes),
    thousands((1024 * mib) / bytes),
  ]);
  return `# Sizing

\`npm run bench -- sizing\` measures these figures; \`RECORD=1\` records them. Conditions: ${results.date}, Node ${results.node},
${sizedServices} services in a directory, a few sidecars in SotW and in delta without a Sidecar resource, objects as in
\`bench/sizing/sized-objects.ts\`. Memory is the heap after a garbage collection, with buffers. An empty server has
${Math.round(results.emptyServer / 1e6)} MB.

## Memory

One object with one item:

${table(["object", "memory", "objects per GiB", "more items"], objects)}

One more proxy (${sizedProxies} proxies, each of which sees all ${sizedServices} services; a Sidecar resource with fewer
services makes it smaller):

${table(["protocol", "memory", "proxies per GiB"], proxies)}

## Limits

The heap has a limit: \`NODE_OPTIONS=--max-old-space-size=MiB\`. Without this flag Node uses about half of the memory of a
container, and of a larger machine 2 to 4 GiB. The limits follow from it once, at the start. Each object counts with an
estimate a little above the table.

${table(["heap", "for objects", "services with one endpoint", "for policies as well", `proxies with ${sizedServices} services in the rest`], heaps.map(limitRow))}

Where the memory of the container is smaller than the heap could become, three quarters of it count as the heap.

## Past the limits

- **Objects.** A new object that does not fit is left out. The source is stale, and its reason has the number:
  \`/debug/sources\` (which a loaded server serves, too), \`/ready\`, the log and \`binnacle_source_left_out_objects\` show it.
  Everything else is served. Removals and changes of known objects are followed. Nothing new is taken in either while the
  measured memory is at *high* (\`/debug/overload\`).
- **Policies, credentials and MeshConfig** are never left out. They may use the heap up to 90 %. If one of them, or a change
  of a known object, does not fit, the source is no longer followed and keeps its last state. At the start no proxy is
  served then.
- **Room again.** After removals the rest is taken in: within seconds at first, later within five minutes. After a raised
  limit it is taken in by the restart.
- **Proxies.** At 90 % of the heap new streams are refused with UNAVAILABLE, and proxies go to another replica. Connected
  ones stay ([decision](../adr/0031-overload.md)).
- **Left-out objects** are not free: a directory keeps their text, other sources about 4 kB for each.
`;
}

function limitRow(heapMib: number): readonly string[] {
  const { objectBytes, totalBytes } = roomLimitsOf(heapMib * mib);
  const service = bytesOf({ kind: "ServiceEntry", spec: { ports: [{}], endpoints: [{}] } });
  const proxyBytes = 0.15 * heapMib * mib;
  return [
    `${heapMib} MiB`,
    megabytes(objectBytes),
    thousands(objectBytes / service),
    megabytes(totalBytes),
    thousands(proxyBytes / results.proxies.SotW),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable(head, rows).trimEnd();
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Two digits: more would claim a precision that other meshes do not have. */
function thousands(count: number): string {
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return String(Math.floor(count / digits) * digits);
}
