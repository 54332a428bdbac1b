import { onTestFinished } from "vitest";
import { Metrics } from "../../../../src/admin/metrics/metrics.ts";
import { WebhookMetrics } from "../../../../src/admin/webhook/webhook-metrics.ts";
import { WebhookServer } from "../../../../src/admin/webhook/webhook-server.ts";
import { systemClock } from "../../../../src/app/process/system-clock.ts";
import { watchedFiles } from "../../../../src/app/process/watched-files.ts";
import { FailingParts } from "../../../../src/testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../../../src/testing/recording/recording-logger.ts";
import { type IssuedFiles, TestAuthority } from "../tls/certificates.ts";
import { goodGateway, reviewOf, WebhookClient } from "./webhook-client.ts";

export const patience = { seconds: 20 };
/** A review of a valid object. */
export const good = reviewOf(goodGateway());

interface Given {
  readonly files?: IssuedFiles;
  readonly address?: string;
  readonly requestTimeoutMs?: number;
}

/** An authority until the test ends. */
export async function authority(): Promise<TestAuthority> {
  const created = await TestAuthority.create();
  onTestFinished(() => created[Symbol.dispose]());
  return created;
}

/** A webhook that has not started, until the test ends. */
export async function serverWith({ files, address = "127.0.0.1:0", ...timeouts }: Given = {}) {
  const pair = files ?? (await (await authority()).issueServer("webhook"));
  const metrics = new Metrics();
  const logger = new RecordingLogger();
  const parts = new FailingParts(systemClock);
  const server = new WebhookServer({
    address,
    certificate: { files: { certificate: pair.certificateChain, key: pair.privateKey } },
    unknownFields: "warning",
    ...watchedFiles(parts.clockFor("webhook")),
    onFailure: parts.reporterFor("webhook"),
    logger,
    metrics: new WebhookMetrics(metrics),
    ...timeouts,
  });
  onTestFinished(() => server.stop());
  const count = async (line: string) => {
    const found = (await metrics.registry.metrics()).split("\n").find((each) => each.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1) ?? 0);
  };
  return { server, pair, logger, count, metrics, parts };
}

/** A webhook that has started, with a client. */
export async function started(given: Given = {}) {
  const rig = await serverWith(given);
  const address = await rig.server.start();
  const client = new WebhookClient(address, rig.pair);
  onTestFinished(() => client[Symbol.dispose]());
  return { ...rig, address, client };
}
