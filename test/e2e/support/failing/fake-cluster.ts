import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { FakeKube } from "../../../../src/testing/server/fake-kube.ts";
import { definitions, kubeServiceEntries } from "../../../../src/testing/server/kube-rig.ts";

/** An API server in this process whose Leases can be taken as soon as a test allows it. */
export async function startCluster() {
  const kube = await FakeKube.start([definitions, kubeServiceEntries]);
  onTestFinished(() => kube[Symbol.asyncDispose]());
  kube.fault = ({ path }) => (path.includes("/leases") ? { type: "status", code: 503 } : undefined);
  const allowLeases = () => {
    kube.fault = ({ path }) => (path.includes("/leases") ? { type: "answer", answer: takeLease } : undefined);
  };
  return { kubeconfig: kube.kubeconfig(), allowLeases };
}

/** There is no Lease yet, and every write of one succeeds. */
function takeLease(response: ServerResponse, request: IncomingMessage): void {
  const isRead = request.method === "GET";
  const answer = (body: string) => {
    response.writeHead(isRead ? 404 : 201, { "content-type": "application/json" }).end(body);
  };
  text(request).then((body) => answer(isRead ? '{"kind":"Status","code":404}' : body), answer);
}
