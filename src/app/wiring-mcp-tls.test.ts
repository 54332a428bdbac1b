import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { encodeSinkRequest } from "../mcp/sink/encode-sink-request.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { selfSigned } from "../testing/server/self-signed.ts";
import { shopEntry, started, valuesOf, wiredGalley } from "../testing/server/wired-server.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { until } from "../testing/until.ts";
import { createGrpcClient } from "../transport/client/grpc-client.ts";
import { resourceSourcePath } from "./mcp/mcp-paths.ts";
import { watchedFiles } from "./process/watched-files.ts";

const pilot = "spiffe://cluster.local/ns/istio-system/sa/pilot";

/** A Galley with mutual TLS that lets in the clients of a list, and a sink that calls it. */
async function calling(listed: readonly string[]) {
  const files = await TempTree.create();
  onTestFinished(() => files.close());
  await files.write("list.yaml", `allowed: ${JSON.stringify(listed)}`);
  const [own, shown] = [await selfSigned(), await selfSigned(pilot)];
  const galley = wiredGalley({
    mcpTlsCert: own.certificate,
    mcpTlsKey: own.key,
    mcpTlsCa: [shown.certificate],
    mcpAccessList: files.path("list.yaml"),
  });
  galley.source.apply(shopEntry("reviews"));
  await started(galley);
  const client = createGrpcClient({
    address: galley.listeners.addresses.mcp,
    logger: new RecordingLogger(),
    tls: { shown, authorities: [own.certificate], ...watchedFiles(galley.clock) },
  });
  onTestFinished(() => client.stop());
  await client.start();
  const heard = { pushes: 0, codes: [] as (number | undefined)[] };
  const stream = client.open(resourceSourcePath);
  stream.attach({
    onMessage: () => void (heard.pushes += 1),
    onFlushed: () => undefined,
    onClose: (reason) => void heard.codes.push(reason.type === "server" ? reason.status?.code : undefined),
  });
  const collection = "istio/networking/v1alpha3/serviceentries";
  stream.send(encodeSinkRequest({ id: "sink", annotations: {} }, { collection, nonce: "", incremental: false }), []);
  await until(() => heard.pushes + heard.codes.length > 0);
  return { ...galley, heard, list: files.path("list.yaml") };
}

test("a sink on the access list is served, until the list no longer has it", async () => {
  const { heard, list, clock, metrics, logger } = await calling([pilot]);
  expect(heard).toEqual({ pushes: 1, codes: [] });
  expect(await valuesOf(metrics, "binnacle_mcp_refused_total")).toEqual([]);
  writeFileSync(list, "allowed: [");
  const failed = () => logger.lines.filter(({ level, fields }) => level === "error" && "file" in fields);
  await until(() => (clock.advance(10), failed().length > 0));
  expect([heard.codes, failed()[0]?.fields]).toMatchObject([[], { scope: "mcp", file: list }]);
  writeFileSync(list, "allowed: [somebody]");
  await until(() => (clock.advance(10), heard.codes.length > 0));
  expect(heard.codes).toEqual([GrpcStatus.UNAUTHENTICATED]);
});

test("a sink that is not on the access list is refused, counted and logged", async () => {
  const { heard, metrics, logger } = await calling(["somebody"]);
  expect(heard).toEqual({ pushes: 0, codes: [GrpcStatus.UNAUTHENTICATED] });
  expect(await valuesOf(metrics, "binnacle_mcp_refused_total")).toEqual(["1"]);
  const refused = logger.lines.filter(({ level }) => level === "warn");
  expect(refused.map(({ fields }) => fields)).toMatchObject([
    { scope: "mcp", reasons: [expect.stringContaining(pilot)] },
  ]);
  expect(refused[0]?.message).toContain("sink");
});
