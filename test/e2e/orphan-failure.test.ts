import { status } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { portOf } from "./support/http.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

/** Code that the process runs on SIGUSR2: only a test can put it there. */
function planted(statement: string): string {
  const code = `process.on("SIGUSR2", function plantedFailure() { ${statement} });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

test.each([
  ["throw in a timer", 'setTimeout(function orphan() { throw new Error("orphan"); });'],
  ["unhandled rejection", 'void (async function orphan() { throw new Error("orphan"); })();'],
])("a %s is logged with its stack, ends streams as UNAVAILABLE, and ends the process", async (_, statement) => {
  const tree = await TempTree.create();
  const ports = ["--xds", "127.0.0.1:0", "--http", "off", "--metrics", "off", "--ctrlz", "off"];
  const child = new Child(process.execPath, ["--import", planted(statement), main, "serve", tree.directory, ...ports]);
  onTestFinished(async () => {
    await child.stop();
    await tree.close();
  });
  const [, xds = ""] = await child.line(/^ready: xds (127\.0\.0\.1:\d+)/, { seconds: 60 });
  using client = new SotwClient(portOf(xds), gatewayNode);
  client.subscribe(clusterType);
  client.ack(await client.next(clusterType));

  child.kill("SIGUSR2");
  expect((await client.stream.ended).code).toBe(status.UNAVAILABLE);
  expect(await child.exited).toBe(1);
  expect(child.log()).toContain("unexpected failure");
  expect(child.log()).toMatch(/Error: orphan[\s\S]*at .*orphan/u);
});
