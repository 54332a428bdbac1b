import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import type { IssuedFiles } from "../tls/certificates.ts";

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
  /** Of the certificate that the server showed. */
  readonly serial: string;
}

/** Calls a webhook as Kubernetes does, but over a connection of its own for each call, unless told otherwise. */
export class WebhookClient implements Disposable {
  readonly #agent: Agent;
  readonly #address: { readonly host: string; readonly port: number };

  constructor(address: string, { rootCertificates }: IssuedFiles, { keepAlive = false } = {}) {
    const [host = "", port = ""] = address.split(":");
    this.#address = { host, port: Number(port) };
    this.#agent = new Agent({ keepAlive, ca: readFileSync(rootCertificates), maxCachedSessions: 0 });
  }

  /** Sends a review, or whatever the body is. */
  post(body: string, path = "/validate"): Promise<WebhookAnswer> {
    return this.call("POST", path, body);
  }

  call(method: string, path: string, body = ""): Promise<WebhookAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const options = { ...this.#address, agent: this.#agent, method, path, headers, timeout: 30_000 };
      const sent = request(options, (response) => {
        const { statusCode = 0 } = response;
        const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
        text(response).then((answer) => resolve({ status: statusCode, body: answer, serial: serialNumber }), reject);
      });
      sent.on("timeout", () => sent.destroy(new Error(`no answer from ${path}`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** A review that asks whether an object may be created. */
export function reviewOf(object: object): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      kind: { group: "networking.istio.io", version: "v1", kind: "Gateway" },
      resource: { group: "networking.istio.io", version: "v1", resource: "gateways" },
      operation: "CREATE",
      namespace: "default",
      object,
    },
  });
}

/** A Gateway that is as it should be. */
export function goodGateway(name = "ingress") {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "Gateway",
    metadata: { name },
    spec: { servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["shop.example"] }] },
  };
}
