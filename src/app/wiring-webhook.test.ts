import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { selfSigned } from "../testing/server/self-signed.ts";
import { pageOf, started, valuesOf, wiredGalley, wiredServer } from "../testing/server/wired-server.ts";
import type { Options } from "./options/options.ts";

async function withWebhook(wired: typeof wiredServer | typeof wiredGalley, settings: Partial<Options> = {}) {
  const { certificate: webhookCert, key: webhookKey } = await selfSigned();
  const server = await started(wired({ webhook: "127.0.0.1:0", webhookCert, webhookKey, ...settings }));
  return { ...server, ca: readFileSync(webhookCert) };
}

/** The answer of the webhook to a Gateway with an unknown field. */
async function review({ listeners, ca }: Awaited<ReturnType<typeof withWebhook>>) {
  const object = {
    apiVersion: "networking.istio.io/v1",
    kind: "Gateway",
    metadata: { name: "edge", namespace: "shop" },
    spec: { servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"], colour: "red" }] },
  };
  const asked = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      operation: "CREATE",
      kind: { group: "networking.istio.io", version: "v1", kind: "Gateway" },
      resource: { group: "networking.istio.io", version: "v1", resource: "gateways" },
      object,
    },
  };
  const [host, port] = listeners.addresses.webhook.split(":");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { "content-type": "application/json" };
  const call = request({ host, port, path: "/admitpilot", method: "POST", ca, headers }, (answer) => {
    text(answer).then(resolve, reject);
  });
  call.on("error", reject).end(JSON.stringify(asked));
  return JSON.parse(await promise).response;
}

describe.each([
  ["a server", wiredServer],
  ["Galley alone", wiredGalley],
])("the webhook of %s", (_, wired) => {
  test("is a part of readiness", async () => {
    const server = await withWebhook(wired);
    expect(await pageOf(server, "/ready")).toEqual({ status: 200, body: "ready\n" });
    const { addresses } = server.listeners;
    Object.defineProperty(server.listeners, "addresses", { get: () => ({ ...addresses, webhook: "" }) });
    expect(await pageOf({ listeners: { addresses } }, "/ready")).toEqual({
      status: 503,
      body: expect.stringContaining("validation: listener"),
    });
  });

  test.each([
    ["deny", false],
    ["warn", true],
  ] as const)("judges unknown fields as the settings say: %s", async (webhookUnknownFields, allowed) => {
    const server = await withWebhook(wired, { webhookUnknownFields });
    expect(await review(server)).toMatchObject({ uid: "1", allowed });
    const metric = `galley_validation_${allowed ? "passed" : "failed"}`;
    expect(await valuesOf(server.metrics, metric)).toEqual([expect.stringMatching(/gateways.* 1$/u)]);
    const scopes = server.logger.lines.filter(({ fields }) => "scope" in fields && fields.scope === "validation");
    expect(scopes.length > 0).toBe(!allowed);
  });
});
