/** One size of the Galley bench, in a separate process: `node --expose-gc bench/galley-run.ts OBJECTS`, JSON out. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/app/process/system-clock.ts";
import { Graph } from "../src/collection/graph.ts";
import { kinds } from "../src/config/kinds.ts";
import { parseConfigs } from "../src/config/parse/parse.ts";
import { Processor } from "../src/galley/processor/processor.ts";
import { transformsFor } from "../src/galley/processor/transforms.ts";
import type { Snapshot } from "../src/galley/snapshotter/snapshot.ts";
import { Snapshotter } from "../src/galley/snapshotter/snapshotter.ts";
import { immediate } from "../src/galley/snapshotter/strategy.ts";
import { createFileSource } from "../src/galley/source/file/file-source.ts";
import { MemorySource } from "../src/galley/source/memory-source.ts";
import { Random } from "../src/testing/random/random.ts";
import { cpuMs } from "./cpu.ts";
import type { GalleyFigures } from "./galley.ts";
import { meshObjects, serviceEntry } from "./mesh.ts";

const seed = 42;
const objectsPerFile = 100;
const changes = 1000;
const groups = ["default", "syntheticServiceEntry"] as const;
const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";
const output = "istio/networking/v1alpha3/serviceentries";

const objects = Number(process.argv[2]);
const directory = await mkdtemp(join(tmpdir(), "binnacle-bench-"));
try {
  await writeMesh();
  process.stdout.write(JSON.stringify(await measure()));
} finally {
  await rm(directory, { recursive: true });
}

async function writeMesh(): Promise<void> {
  const texts = [...meshObjects(objects, seed)];
  for (let start = 0; start < texts.length; start += objectsPerFile) {
    await writeFile(join(directory, `${start}.yaml`), texts.slice(start, start + objectsPerFile).join("\n---\n"));
  }
}

async function measure(): Promise<GalleyFigures> {
  const before = memory();
  const files = createFileSource({ directory, kinds, clock: systemClock });
  // Objects of this source take precedence over the files.
  const edits = new MemorySource({ name: "edits", collections: [collection] });
  const graph = new Graph();
  const processor = new Processor({ graph, sources: [edits, files], transforms: transformsFor(kinds) });
  const latest = new Map<string, Snapshot>();
  const snapshotter = new Snapshotter({
    graph,
    publications: groups.map((group) => ({
      group,
      collections: processor.outputsOf(group),
      strategy: immediate(),
      distributor: { distribute: (snapshot) => void latest.set(group, snapshot) },
    })),
    onError: (error) => {
      throw error;
    },
  });
  snapshotter.start();
  const firstSnapshotMs = await timed(() => processor.start());
  const versionsMs = await timed(() => allVersions(latest));
  const after = memory();
  const changeMs = await measureChanges(edits, latest);
  await processor.stop();
  snapshotter.stop();
  const rssMb = after.rssMb - before.rssMb;
  const heapMb = after.heapMb - before.heapMb;
  return { objects, firstSnapshotMs, rssMb, heapMb, versionsMs, changeMs };
}

function allVersions(latest: ReadonlyMap<string, Snapshot>): void {
  for (const snapshot of latest.values()) for (const name of snapshot.collections.keys()) snapshot.version(name);
}

/** One changed object until its snapshot and the version of its collection exist. */
async function measureChanges(edits: MemorySource, latest: ReadonlyMap<string, Snapshot>): Promise<number> {
  const random = new Random(seed);
  const changed = Array.from({ length: changes }, () => {
    const text = JSON.stringify(serviceEntry(random.below(objects), random));
    return parseConfigs({ text, file: "edit", source: edits.name, kinds, defaultNamespace: "default" }).configs;
  }).flat();
  const versions = new Set<string | undefined>();
  const ms = await timed(() => {
    for (const config of changed) {
      edits.set(collection, config);
      versions.add(latest.get("default")?.version(output));
    }
  });
  if (versions.size !== changes) throw new Error("every change is in a snapshot of its own");
  return ms / changes;
}

async function timed(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuMs(before);
}

/** Memory after garbage collection. */
function memory(): { readonly rssMb: number; readonly heapMb: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rssMb: rss / 1e6, heapMb: heapUsed / 1e6 };
}
