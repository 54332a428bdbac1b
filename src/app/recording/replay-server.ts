import { isDebugType } from "../../admin/debug-xds/debug-types.ts";
import type { Source, SourceHandler } from "../../galley/source/source.ts";
import type { OutsideCall } from "../../pilot/xds/entrance.ts";
import { healthType } from "../../pilot/xds/workloads/workload-registry.ts";
import type { Recording } from "../../recording/recording.ts";
import type { ReplayTarget } from "../../recording/replay.ts";
import { Replay } from "../../recording/replay.ts";
import type { Serve } from "../../xds/xds-server.ts";
import { buildDiscovery } from "../build-pilot.ts";
import { writeTrustedRoots } from "../ca/trusted-roots.ts";
import { writeKeySet } from "../jwks/key-sets.ts";
import { observerOfFailures } from "../offline/observer-of-failures.ts";
import { buildMesh, type Pipeline } from "../pipeline.ts";
import { discoverySettings } from "../xds/discovery-settings.ts";
import { replayedOptions } from "./recorded-settings.ts";

/** The pipeline of a server, with a recording in place of everything outside. */
export interface ReplayServer {
  readonly replay: Replay;
  readonly target: ReplayTarget;
  readonly pipeline: Pipeline;
}

/** `onFailure` gets the bugs of the pipeline that show. Throws `bad-option` for a recording of another version. */
export async function replayServer({ head }: Recording, onFailure: (cause: Error) => void): Promise<ReplayServer> {
  const options = replayedOptions(head.settings);
  const replay = new Replay(head.clockAt);
  const handlers = new Map<string, SourceHandler>();
  const mesh = buildMesh({
    sources: head.sources.map((source) => replayedSource(source, handlers)),
    settings: options,
    allowUnenforced: options.allowUnenforced,
    onSnapshotError: (error) => onFailure(error instanceof Error ? error : new Error(String(error))),
  });
  const discovered = buildDiscovery(mesh, {
    ...discoverySettings(options, replay.clock),
    turn: replay.turn,
    observer: observerOfFailures(onFailure),
    onUpdate: () => undefined,
    overload: replay.load,
    ...(options.prometheus !== "off" && { askGate: replay.askGate }),
    lifecycleHooks: {
      arrived: () => replay.refusal,
      left: () => undefined,
      handles: (typeUrl) => typeUrl === healthType,
      answer: () => undefined,
    },
    debugRequests: { handles: isDebugType, answer: () => undefined },
    otherClients: () => (replay.isForeign ? ignored : undefined),
  });
  const pipeline = { ...mesh, ...discovered };
  mesh.snapshotter.start();
  await mesh.processor.start();
  const target = {
    sources: handlers,
    serve: pipeline.discovery.serve.bind(pipeline.discovery),
    call: (call: OutsideCall) => repeat(call, pipeline),
  };
  return { replay, target, pipeline };
}

function replayedSource(
  { name, collections }: Pick<Source, "name" | "collections">,
  handlers: Map<string, SourceHandler>,
): Source {
  return {
    name,
    collections,
    start: (handler) => {
      handlers.set(name, handler);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    idle: () => Promise.resolve(),
  };
}

function repeat(call: OutsideCall, pipeline: Pipeline): void {
  const { discovery } = pipeline;
  switch (call.type) {
    case "ready":
      return discovery.markReady();
    case "push all":
      return discovery.pushAll(call.reason);
    case "roots":
      return writeTrustedRoots(pipeline, new Set(call.pems));
    case "key set":
      return writeKeySet(pipeline, call.key, call.text);
  }
}

/** A stream that another server served, of which nothing is recorded. */
const ignored: Serve = (stream) =>
  stream.attach({ onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined });
