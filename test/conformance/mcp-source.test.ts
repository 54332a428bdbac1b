import { resourceSourcePath } from "../../src/app/mcp/mcp-paths.ts";
import { unheardGalleys } from "../../src/app/mcp/remote-galleys.ts";
import { defaultOptions } from "../../src/app/options.ts";
import { sourcesFrom } from "../../src/app/sources/sources.ts";
import { systemClock } from "../../src/app/system-clock.ts";
import { mcpForm } from "../../src/mcp/formed-sets.ts";
import { ResourceSourceServer } from "../../src/mcp/source/resource-source-server.ts";
import { until } from "../../src/testing/describe-stream.ts";
import { RecordingSource } from "../../src/testing/mcp-observers.ts";
import { RecordingLogger } from "../../src/testing/recording-logger.ts";
import { createGrpcServer } from "../../src/transport/grpc-server.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";
import { SpoiledWorld } from "./spoiled.ts";

/** Our own source behind a real socket, read as `--source` reads it. */
async function subject(query: string): Promise<SourceSubject> {
  const spoiled = new SpoiledWorld();
  const { cache } = spoiled.world;
  const galley = new ResourceSourceServer({
    cache,
    clock: systemClock,
    observer: new RecordingSource(),
    settings: { requestBurst: 1_000 },
  });
  const methods = new Map([[resourceSourcePath, (stream: Parameters<typeof galley.serve>[0]) => galley.serve(stream)]]);
  const server = createGrpcServer({ address: "127.0.0.1:0", methods, logger: new RecordingLogger() });
  const address = await server.start();
  const galleys = unheardGalleys();
  const options = { ...defaultOptions(), sources: [`mcp://${address}${query}`] };
  const [source] = sourcesFrom(options, systemClock, galleys);
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
    async close() {
      await server.stop({ graceMs: 0 });
    },
  };
}

const settings = { losesTrack: false, registry: true };
describeSource("a Galley elsewhere, by differences,", () => subject(""), settings);
describeSource("a Galley elsewhere, in full,", () => subject("?incremental=off"), settings);
