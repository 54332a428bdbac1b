import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";
import { sizedProxies, sizedServices as services, type SizingResults } from "./sizing/recorded.ts";
import type { SizingCase, SizingFigures } from "./sizing/run.ts";
import { sizedKinds } from "./sizing/sized-objects.ts";

const more = 11;
/** Some proxies of each protocol: without proxies no configuration is generated. */
const few = { sotw: 2, delta: 2 };
const mib = 2 ** 20;

/**
 * The memory of one object by kind, of one item of an object, and of one proxy: differences between servers in separate
 * processes. `RECORD=1` records them for docs/reference/sizing.md.
 */
export function sizing(): string {
  const results = measure();
  if (process.env["RECORD"] === "1") {
    writeFileSync(join(import.meta.dirname, "sizing/recorded.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  }
  return benchTable(
    ["one more", "memory", "per GiB"],
    [
      ["empty server", ...perGib(results.emptyServer)],
      ...Object.entries(results.objects).map(([kind, bytes]) => [kind, ...perGib(bytes)]),
      ...Object.entries(results.items).map(([kind, bytes]) => [`item of a ${kind}`, ...perGib(bytes)]),
      ...Object.entries(results.proxies).map(([protocol, bytes]) => [`proxy, ${protocol}`, ...perGib(bytes)]),
    ],
  );
}

function perGib(bytes: number): readonly string[] {
  return [`${(bytes / 1000).toFixed(1)} kB`, String(Math.floor((1024 * mib) / bytes))];
}

function measure(): SizingResults {
  const entries = { kind: "ServiceEntry", count: services, items: 1 } as const;
  const emptyServer = bytesOf({ objects: [], ...few });
  const plain = bytesOf({ objects: [entries], ...few });
  const objects: Record<string, number> = {};
  const items: Record<string, number> = {};
  for (const kind of sizedKinds) {
    const isEntry = kind === "ServiceEntry";
    const others = isEntry ? [] : [entries];
    const one = isEntry ? plain : bytesOf({ objects: [...others, { kind, count: services, items: 1 }], ...few });
    const many = bytesOf({ objects: [...others, { kind, count: services, items: more }], ...few });
    objects[kind] = Math.round((one - (isEntry ? emptyServer : plain)) / services);
    items[kind] = Math.round((many - one) / services / (more - 1));
  }
  const proxy = (crowd: Pick<SizingCase, "sotw" | "delta">) =>
    Math.round((bytesOf({ objects: [entries], ...crowd }) - plain) / sizedProxies);
  const proxies = {
    SotW: proxy({ ...few, sotw: few.sotw + sizedProxies }),
    delta: proxy({ ...few, delta: few.delta + sizedProxies }),
  };
  return { date: new Date().toISOString().slice(0, 10), node: process.version, emptyServer, objects, items, proxies };
}

/** The heap and the buffers of a server. */
function bytesOf(measured: SizingCase): number {
  process.stderr.write(`${JSON.stringify(measured)} …\n`);
  const flags = ["--expose-gc"];
  const figures = measuredApart("sizing/run.ts", [JSON.stringify(measured)], flags) as SizingFigures;
  return figures.heapBytes + figures.bufferBytes;
}
