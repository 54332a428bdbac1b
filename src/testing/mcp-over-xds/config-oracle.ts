import { filledBy } from "../../galley/source/remote/received-collections.ts";
import { travelling } from "../mcp/mcp-object.ts";
import { synthetic } from "../mcp/mcp-source-rig.ts";
import type { Story } from "../mcp/mcp-story.ts";
import { ConfigDrama } from "./config-drama.ts";
import type { ConfigSeams } from "./config-seams.ts";

/**
 * Runs a story against a server of MCP over xDS and its listeners, lets the story end well, and returns the broken
 * promises. The truth is the content written last.
 */
export function brokenConfigPromises(story: Story, seams: ConfigSeams = {}): ReadonlyMap<string, string> {
  const drama = new ConfigDrama(story, seams);
  for (const step of story.steps) drama.take(step);
  for (const listener of drama.listeners) if (listener.wire === undefined) drama.connect(listener);
  drama.publish();
  comeToRest(drama);
  compareSinks(drama);
  compareIstiod(drama);
  lookForChurn(drama);
  for (const listener of drama.listeners) drama.cut(listener);
  if (drama.connections + drama.clock.pending > 0) drama.broken.set("tidiness", "something is left");
  return drama.broken;
}

/** Waits longer than the timeout for an acknowledgement. */
function comeToRest({ listeners, clock }: ConfigDrama): void {
  for (let round = 0; round < 3; round++) {
    for (const { wire } of listeners) wire?.settle();
    clock.advance(11_000);
  }
  for (const { wire } of listeners) wire?.settle();
}

function compareSinks(drama: ConfigDrama): void {
  for (const [index, { heard, mode }] of drama.sinks.entries()) {
    for (const [name, key] of everyKey(drama)) {
      const config = heard.config(filledBy(travelling(name)), key);
      if (name === synthetic || drama.isRight(name, key, config?.annotations["content"])) continue;
      drama.broken.set("truth", `${mode} sink ${index}: ${name} ${key} is ${config?.annotations["content"]}`);
    }
  }
}

/** istiod keeps no last good copies: an unreadable object is gone. */
function compareIstiod(drama: ConfigDrama): void {
  const { objects } = drama.istiod.store;
  for (const [name, key] of everyKey(drama)) {
    const wireName = name === synthetic ? key.replace("/", "/synthetic-") : key;
    const held = objects.get(`networking.istio.io/v1/${travelling(name).kind.kind} ${wireName}`);
    const content = held?.metadata?.annotations["content"];
    if (drama.isRight(name, key, content)) continue;
    drama.broken.set("truth", `istiod: ${name} ${key} is ${content}`);
  }
}

/** Without a change the server sends nothing. A restart without a change causes no write in a real istiod. */
function lookForChurn(drama: ConfigDrama): void {
  const { responses } = drama;
  drama.publish();
  for (const { wire } of drama.listeners) wire?.settle();
  if (drama.responses > responses) drama.broken.set("rest", `${drama.responses - responses} responses say nothing`);
  const { writes } = drama.istiod.store;
  drama.take({ type: "restart" });
  drama.connect(drama.istiod);
  drama.istiod.wire?.settle();
  if (drama.istiod.store.writes > writes) drama.broken.set("rest", "a restart is an update");
}

function everyKey({ written }: ConfigDrama): readonly (readonly [name: string, key: string])[] {
  return [...written].flatMap(([name, keys]) => Array.from(keys.keys(), (key) => [name, key] as const));
}
