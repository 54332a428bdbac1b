import { expect, onTestFinished, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

test.each(["status", "rotate"])("ca %s says that a server has no roots, instead of listing its pages", async (word) => {
  const logger = new RecordingLogger();
  const server = new HttpServer({ address: "127.0.0.1:0", routes: [], logger, onFailure: () => undefined });
  onTestFinished(() => server.stop());
  const address = await server.start();
  expect(await runCommand(["ca", word, "--server", address])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `binnacle ca: --server ${address}: it has no roots: it was started without --ca, or with a signer`,
  });
});
