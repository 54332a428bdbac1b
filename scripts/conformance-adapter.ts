/**
 * `npm run conformance:adapter -- --target PORT --adapter PORT`: `binnacle/xds` on one port, and on the other the
 * adapter by which the public xDS test harness tells it what to serve. Runs until it is stopped.
 */
import { parseArgs } from "node:util";
import { createGrpcServer } from "../src/transport/server/grpc-server.ts";
import { createXdsServer, SnapshotSource } from "../src/xds.ts";
import { adapterMethods } from "./conformance/adapter.ts";
import { stderrLogger } from "./conformance/stderr-logger.ts";

const { values } = parseArgs({
  options: { target: { type: "string", default: "18000" }, adapter: { type: "string", default: "17000" } },
});
const source = new SnapshotSource();
const target = createXdsServer({ address: `127.0.0.1:${values.target}`, source });
const adapter = createGrpcServer({
  address: `127.0.0.1:${values.adapter}`,
  ...adapterMethods({ source, holdBackMs: 150 }),
  logger: stderrLogger,
});
process.stdout.write(`target ${await target.start()}, adapter ${await adapter.start()}\n`);
