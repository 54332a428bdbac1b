import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { FakeKube } from "../../../testing/server/fake-kube.ts";
import { grantLease, reply } from "../../../testing/server/kube-answers.ts";
import { selfSigned } from "../../../testing/server/self-signed.ts";
import { started, valuesOf, wiredGalley } from "../../../testing/server/wired-server.ts";
import { turns } from "../../../testing/until.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

interface Patch {
  readonly webhooks: readonly {
    readonly clientConfig: { readonly caBundle: string };
    readonly failurePolicy: string;
  }[];
}

/** A cluster whose Lease is free. It has a webhook configuration if the test says so, and keeps every patch of it. */
async function cluster({ configured }: { readonly configured: boolean }) {
  const kube = await FakeKube.start([configurations]);
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const patches: Patch[] = [];
  let webhooks: Patch["webhooks"] = [{ clientConfig: { caBundle: "" }, failurePolicy: "Ignore" }];
  const missing = { kind: "Status", code: 404, reason: "NotFound" };
  const onConfiguration = async (response: ServerResponse, request: IncomingMessage) => {
    const body = await text(request);
    if (!configured) return reply(response, 404, missing);
    if (request.method === "PATCH") {
      patches.push(JSON.parse(body));
      ({ webhooks } = JSON.parse(body));
    }
    return reply(response, 200, {
      metadata: { resourceVersion: "1" },
      webhooks: webhooks.map((each) => ({ ...each, name: "pilot.validation.istio.io" })),
    });
  };
  kube.fault = ({ path }) => {
    if (path.includes("/leases")) return { type: "answer", answer: (...args) => void grantLease(...args) };
    if (path !== `${configurations}/binnacle`) return undefined;
    return { type: "answer", answer: (...args) => void onConfiguration(...args) };
  };
  return { kube, patches };
}

async function registering({ kube }: Awaited<ReturnType<typeof cluster>>) {
  const { certificate: webhookCert, key: webhookKey } = await selfSigned();
  const settings = { webhook: "127.0.0.1:0", webhookCert, webhookKey, webhookConfig: "binnacle" };
  const server = await started(wiredGalley({ ...settings, kubeconfig: kube.kubeconfig() }));
  const pem = Buffer.from(readFileSync(webhookCert, "utf8")).toString("base64");
  return { ...server, webhookCert, pem };
}

type Server = Awaited<ReturnType<typeof registering>>;

/** Lets time pass until a metric has a value. */
async function counted({ clock, metrics }: Server, name: string): Promise<readonly string[]> {
  for (;;) {
    const values = await valuesOf(metrics, name);
    if (values.length > 0) return values;
    clock.advance(100);
    await turns(1);
  }
}

test("the configuration gets the authority of the webhook's own certificate, and refuses nothing yet", async () => {
  const { kube, patches } = await cluster({ configured: true });
  const server = await registering({ kube, patches });
  expect(await counted(server, "galley_validation_config_updates")).toEqual(["1"]);
  const [webhook] = patches[0]?.webhooks ?? [];
  expect(
    Buffer.from(webhook?.clientConfig.caBundle ?? "", "base64")
      .toString()
      .trim(),
  ).toBe(Buffer.from(server.pem, "base64").toString().trim());
  expect(webhook?.failurePolicy).toBe("Ignore");
  expect(await valuesOf(server.metrics, "galley_validation_config_load")).toEqual(["1"]);
});

test("a configuration that is missing is counted, and is a line of the log", async () => {
  const server = await registering(await cluster({ configured: false }));
  expect(await counted(server, "galley_validation_config_update_error")).toEqual([
    expect.stringMatching(/^\{reason="NotFound"\} \d+$/u),
  ]);
  const lines = server.logger.lines.filter(({ level }) => level === "warn");
  expect(lines.map(({ fields }) => fields)).toContainEqual({ scope: "validation", configuration: "binnacle" });
});

test("a new authority is used at once; one that cannot be read is counted, and the last one stays", async () => {
  const { kube, patches } = await cluster({ configured: true });
  const server = await registering({ kube, patches });
  await counted(server, "galley_validation_config_updates");
  const { certificate } = await selfSigned();
  const renewed = readFileSync(certificate, "utf8");
  writeFileSync(server.webhookCert, renewed);
  while (patches.length < 2) {
    server.clock.advance(10);
    await turns(1);
  }
  expect(
    Buffer.from(patches[1]?.webhooks[0]?.clientConfig.caBundle ?? "", "base64")
      .toString()
      .trim(),
  ).toBe(renewed.trim());
  writeFileSync(server.webhookCert, "no certificate");
  expect(await counted(server, "galley_validation_config_load_error")).toEqual(["1"]);
  expect(patches).toHaveLength(2);
});
