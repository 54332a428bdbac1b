import { Callout } from "../../src/app/mcp/callout.ts";
import { resourceSourcePath } from "../../src/app/mcp/mcp-paths.ts";
import { unobservedGalleys } from "../../src/app/mcp/remote-galleys.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { sourcesFrom } from "../../src/app/sources/sources.ts";
import type { GrpcStream } from "../../src/lib/grpc/grpc-stream.ts";
import { mcpForm } from "../../src/mcp/encoded-sets.ts";
import { ResourceSourceServer } from "../../src/mcp/source/resource-source-server.ts";
import { RecordingSource } from "../../src/testing/mcp/mcp-observers.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { until } from "../../src/testing/until.ts";
import { createGrpcClient } from "../../src/transport/client/grpc-client.ts";
import { createGrpcServer } from "../../src/transport/server/grpc-server.ts";
import { freePort } from "../e2e/support/free-port.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";
import { SpoiledWorld } from "./spoiled.ts";

type Serve = (stream: GrpcStream, how?: { readonly trigger: boolean }) => void;

/** A Galley and the URL of the source that is joined to it. */
interface Joined {
  readonly url: string;
  close(): Promise<void>;
}

/** The source calls the Galley. */
async function calling(serve: Serve, query: string): Promise<Joined> {
  const methods = new Map([[resourceSourcePath, (stream: GrpcStream) => serve(stream)]]);
  const server = createGrpcServer({ address: "127.0.0.1:0", methods, logger: new RecordingLogger() });
  return { url: `mcp://${await server.start()}${query}`, close: () => server.stop({ graceMs: 0 }) };
}

/** The Galley calls the source. */
async function called(serve: Serve): Promise<Joined> {
  const address = `127.0.0.1:${await freePort()}`;
  const callout = new Callout({
    client: createGrpcClient({ address, logger: new RecordingLogger() }),
    clock: systemClock,
    // The shortest pauses there are.
    random: () => 0,
    serve: (stream) => serve(stream, { trigger: true }),
    onTaken: () => undefined,
  });
  await callout.start();
  return { url: `mcp+listen://${address}`, close: () => callout.stop() };
}

/** Our own Galley on the other side of a real socket, read as `--source` reads it. */
async function subject(join: (serve: Serve) => Promise<Joined>): Promise<SourceSubject> {
  const spoiled = new SpoiledWorld();
  const { cache } = spoiled.world;
  const galley = new ResourceSourceServer({
    cache,
    clock: systemClock,
    observer: new RecordingSource(),
    settings: { requestBurst: 1_000 },
  });
  const joined = await join((stream, how) => galley.serve(stream, how));
  const galleys = unobservedGalleys();
  const [source] = sourcesFrom({ ...defaultOptions(), sources: [joined.url] }, systemClock, galleys);
  if (source === undefined) throw new Error("a URL makes a source");

  /** Whether the source has acknowledged all that there is. */
  const isSettled = () => {
    const asked = source.collections.length;
    const [sink, another] = galley.status;
    return (
      galleys.sources[0]?.session?.sink.answered.size === asked &&
      another === undefined &&
      sink?.collections.length === asked &&
      sink.collections.every(({ collection, ackedVersion, pendingNonce, lastNack }) => {
        const { version } = cache.sets(mcpForm).get(collection) ?? {};
        return pendingNonce === undefined && (ackedVersion === version || lastNack?.version === version);
      })
    );
  };
  return {
    source,
    put: (yaml) => Promise.resolve(spoiled.put(yaml)),
    remove: (kind, namespace, name) => Promise.resolve(spoiled.remove(kind, namespace, name)),
    async idle() {
      if (galleys.sources[0]?.session !== undefined) await until(isSettled);
    },
    close: () => joined.close(),
  };
}

const settings = { losesTrack: false, registry: true };
describeSource("a Galley elsewhere, by differences,", () => subject((serve) => calling(serve, "")), settings);
describeSource("a Galley elsewhere, in full,", () => subject((serve) => calling(serve, "?incremental=off")), settings);
describeSource("a Galley that calls us", () => subject(called), settings);
