import { filledBy } from "../../galley/source/remote/received-collections.ts";
import { travelling } from "../mcp/mcp-object.ts";
import { synthetic } from "../mcp/mcp-source-rig.ts";
import type { Story } from "../mcp/mcp-story.ts";
import type { ConfigSeams } from "./config-seams.ts";
import { ConfigSimulation } from "./config-simulation.ts";

/**
 * Runs a story against a server of MCP over xDS and its listeners, lets the story end well, and returns the broken
 * promises. The truth is the content written last.
 */
export function brokenConfigPromises(story: Story, seams: ConfigSeams = {}): ReadonlyMap<string, string> {
  const simulation = new ConfigSimulation(story, seams);
  for (const step of story.steps) simulation.take(step);
  for (const listener of simulation.listeners) if (listener.wire === undefined) simulation.connect(listener);
  simulation.publish();
  comeToRest(simulation);
  compareSinks(simulation);
  compareIstiod(simulation);
  lookForChurn(simulation);
  for (const listener of simulation.listeners) simulation.cut(listener);
  if (simulation.connections + simulation.clock.pending > 0) simulation.broken.set("tidiness", "something is left");
  return simulation.broken;
}

/** Waits longer than the timeout for an acknowledgement. */
function comeToRest({ listeners, clock }: ConfigSimulation): void {
  for (let round = 0; round < 3; round++) {
    for (const { wire } of listeners) wire?.settle();
    clock.advance(11_000);
  }
  for (const { wire } of listeners) wire?.settle();
}

function compareSinks(simulation: ConfigSimulation): void {
  for (const [index, { heard, mode }] of simulation.sinks.entries()) {
    for (const [name, key] of everyKey(simulation)) {
      const config = heard.config(filledBy(travelling(name)), key);
      if (name === synthetic || simulation.isRight(name, key, config?.annotations["content"])) continue;
      simulation.broken.set("truth", `${mode} sink ${index}: ${name} ${key} is ${config?.annotations["content"]}`);
    }
  }
}

/** istiod keeps no last good copies: an unreadable object is gone. */
function compareIstiod(simulation: ConfigSimulation): void {
  const { objects } = simulation.istiod.store;
  for (const [name, key] of everyKey(simulation)) {
    const wireName = name === synthetic ? key.replace("/", "/synthetic-") : key;
    const held = objects.get(`networking.istio.io/v1/${travelling(name).kind.kind} ${wireName}`);
    const content = held?.metadata?.annotations["content"];
    if (simulation.isRight(name, key, content)) continue;
    simulation.broken.set("truth", `istiod: ${name} ${key} is ${content}`);
  }
}

/** Without a change the server sends nothing. A restart without a change causes no write in a real istiod. */
function lookForChurn(simulation: ConfigSimulation): void {
  const { responses } = simulation;
  simulation.publish();
  for (const { wire } of simulation.listeners) wire?.settle();
  if (simulation.responses > responses)
    simulation.broken.set("rest", `${simulation.responses - responses} responses say nothing`);
  const { writes } = simulation.istiod.store;
  simulation.take({ type: "restart" });
  simulation.connect(simulation.istiod);
  simulation.istiod.wire?.settle();
  if (simulation.istiod.store.writes > writes) simulation.broken.set("rest", "a restart is an update");
}

function everyKey({ written }: ConfigSimulation): readonly (readonly [name: string, key: string])[] {
  return [...written].flatMap(([name, keys]) => Array.from(keys.keys(), (key) => [name, key] as const));
}
