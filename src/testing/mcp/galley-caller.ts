import { createMcpSource, type McpSource } from "../../galley/source/mcp/mcp-source.ts";
import type { CloseReason } from "../../lib/grpc/grpc-stream.ts";
import type { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import { ResourceSourceServer } from "../../mcp/source/resource-source-server.ts";
import type { SourceSettings } from "../../mcp/source/source-settings.ts";
import { sourceVersionKey } from "../../mcp/source-version.ts";
import { FakeClock } from "../fake-clock.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";
import { McpMesh } from "./mcp-mesh.ts";
import { travelling } from "./mcp-object.ts";
import { RecordingSink, RecordingSource } from "./mcp-observers.ts";
import { gateways, serviceEntries } from "./mcp-source-rig.ts";
import { McpWire } from "./mcp-wire.ts";

/** A source, and the Galley to which it connects. */
export class GalleyCaller {
  readonly clock = new FakeClock();
  readonly observer = new RecordingSink();
  readonly heard = new SourceRecorder();
  readonly wires: McpWire[] = [];
  readonly dialledAt: number[] = [];
  mesh: McpMesh;
  server: ResourceSourceServer;
  /** The reason with which a call ends at once. Undefined while the Galley is up. */
  down: CloseReason | undefined;
  /** The version that the Galley reports. Undefined if it reports none. */
  version: string | undefined;
  readonly source: McpSource;

  constructor(
    served: readonly string[] = [gateways, serviceEntries],
    settings: Partial<SourceSettings> = {},
    {
      asked = [gateways, serviceEntries],
      cache,
    }: { readonly asked?: readonly string[]; readonly cache?: SnapshotCache } = {},
  ) {
    this.mesh = new McpMesh(served, cache);
    this.server = this.#serve(settings);
    this.source = createMcpSource({
      name: "mcp://galley:9901",
      connection: {
        start: () => Promise.resolve(),
        stop: () => Promise.resolve(),
        open: () => this.#open(),
      },
      collections: asked.map(travelling),
      incremental: true,
      clock: this.clock,
      random: () => 0.5,
      observer: this.observer,
    });
  }

  async start(): Promise<this> {
    await this.source.start(this.heard.handler);
    this.settle();
    return this;
  }

  publish(): void {
    this.mesh.publish();
    this.settle();
  }

  settle(): void {
    for (const wire of this.wires) wire.settle();
  }

  /** Starts another process with the same or changed content, optionally with another cache. */
  restart(change: (mesh: McpMesh) => void = () => undefined, cache?: SnapshotCache): void {
    const { objects } = this.mesh;
    this.mesh = new McpMesh([...objects.keys()], cache);
    for (const [name, map] of objects) {
      for (const [key, config] of map.freeze(name).entries()) this.mesh.objects.get(name)?.set(key, config);
    }
    change(this.mesh);
    this.server = this.#serve({});
    this.wires.at(-1)?.cut();
    this.mesh.publish();
  }

  /** A short description of the events since then. */
  since(calls: number): readonly string[] {
    return this.heard.calls.slice(calls).flat().map(described);
  }

  /** The collections with a full sync. */
  get synced(): ReadonlySet<string> {
    return new Set(this.heard.events.flatMap((event) => (event.type === "fullSync" ? [event.collection] : [])));
  }

  #serve(settings: Partial<SourceSettings>): ResourceSourceServer {
    return new ResourceSourceServer({
      cache: this.mesh.cache,
      clock: this.clock,
      observer: new RecordingSource(),
      settings,
    });
  }

  #open() {
    const wire = new McpWire(undefined, this.version === undefined ? {} : { [sourceVersionKey]: this.version });
    this.wires.push(wire);
    this.dialledAt.push(this.clock.now());
    const { down } = this;
    if (down === undefined) this.server.serve(wire.source);
    else this.clock.after(0, () => wire.sink.close(down));
    return wire.sink;
  }
}

/** A short description of an event of a source. */
export function described(event: SourceRecorder["events"][number]): string {
  if (event.type === "upserted") return `+${event.config.name}=${event.config.annotations["content"]}`;
  if (event.type === "deleted") return `-${event.key}`;
  if (event.type === "stale") return `stale: ${event.reason}`;
  if (event.type !== "issues") return event.type;
  return `${event.part}: ${event.issues.map(({ message }) => message).join("; ") || "well"}`;
}
