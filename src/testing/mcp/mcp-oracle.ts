import type { Config } from "../../config/config.ts";
import type { McpPromise } from "./mcp-monitor.ts";
import { travelling } from "./mcp-object.ts";
import type { McpSeams } from "./mcp-seams.ts";
import type { Story } from "./mcp-story.ts";
import { McpWorld, worldCollections } from "./mcp-world.ts";

/** Longer than anything waits: rejections rest a minute, subscriptions for their budget. */
const aWhile = 120_000;

/**
 * Tells a story, lets it end well (everybody is there, nobody throws, then one more change of everything), and says
 * which promises were broken. The truth is what a world without a past tells a sink that asks for all of it.
 */
export function brokenMcpPromises(story: Story, seams: McpSeams = {}): ReadonlyMap<McpPromise, string> {
  const world = new McpWorld(story, seams);
  for (const step of story.steps) world.take(step);
  for (const sink of world.sinks) {
    sink.throws = false;
    world.connect(sink);
  }
  world.publish();
  comeToRest(world);
  const encodings = world.encodings;
  compareWithTruth(world, "what was taken");
  const elsewhere = world.encodings - encodings;
  for (const collection of worldCollections.keys()) world.write({ collection, key: 9, content: "last" });
  world.publish();
  comeToRest(world);
  judge(world, world.encodings - elsewhere);
  compareWithTruth(world, "everything");
  return world.broken;
}

function judge(world: McpWorld, encodings: number): void {
  const { broken, sinks, made } = world;
  if (encodings > made) broken.set("encoded once", `${encodings} for ${made} objects`);
  for (const [index, each] of sinks.entries()) {
    const { answered } = each.sink;
    if (answered.size < worldCollections.length) broken.set("answers", `sink ${index} has ${answered.size}`);
    world.cut(each);
  }
  if (world.leftovers > 0) broken.set("tidiness", `${world.leftovers} streams and timers are left`);
}

function comeToRest({ sinks, clock }: McpWorld): void {
  for (let round = 0; round < 3; round++) {
    for (const { wire } of sinks) wire?.settle();
    clock.advance(aWhile);
  }
  for (const { wire } of sinks) wire?.settle();
}

/** `what was taken`: only collections of which a sink says that it holds what is true now. */
function compareWithTruth(world: McpWorld, scope: "what was taken" | "everything"): void {
  const truth = truthOf(world);
  for (const [index, { store, sink }] of world.sinks.entries()) {
    for (const { collection: name, systemVersion, certain } of sink.status) {
      const expected = truth.get(name);
      if (scope === "what was taken" && !(certain && systemVersion === expected?.version)) continue;
      const held = contentsOf(name, store.collections.get(name), world);
      if (held === expected?.contents) continue;
      world.broken.set("truth", `sink ${index} holds ${held} of ${name}, not ${expected?.contents}`);
    }
  }
}

interface Truth {
  readonly version: string | undefined;
  readonly contents: string;
}

function truthOf(world: McpWorld): ReadonlyMap<string, Truth> {
  const fresh = new McpWorld({ sinks: [false], differences: false, budget: 1000, steps: [] });
  fresh.copy(world.written);
  fresh.publish();
  for (const sink of fresh.sinks) fresh.connect(sink);
  comeToRest(fresh);
  return new Map(
    fresh.sinks.flatMap(({ sink, store }) =>
      sink.status.map(({ collection: name, systemVersion: version }) => {
        return [name, { version, contents: contentsOf(name, store.collections.get(name), world) }];
      }),
    ),
  );
}

/** Each object by a hash of what is really in it, whatever its version says; but not what sinks refuse. */
function contentsOf(name: string, objects: ReadonlyMap<string, Config> | undefined, world: McpWorld): string {
  const good = [...(objects ?? [])].filter(([key]) => world.written.get(name)?.get(key) !== "bad");
  const { body } = travelling(name);
  return good
    .map(([key, config]) => `${key}@${body.versionOf(config)}`)
    .toSorted()
    .join(" ");
}
