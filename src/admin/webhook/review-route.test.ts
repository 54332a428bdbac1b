import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Admission } from "../../config/admission/admit-review.ts";
import { answerCall } from "./review-route.ts";

/** The calls of the webhook over plain HTTP: certificates are not what this is about. */
async function serve() {
  const admissions: Admission[] = [];
  const failures: unknown[] = [];
  const onAdmission = (admission: Admission) => admissions.push(admission);
  const server = createServer((request, response) => {
    answerCall(request, { unknownFields: "warning", onAdmission }).then(
      ({ status, contentType, body }) => response.writeHead(status, { "content-type": contentType }).end(body),
      (error: unknown) => failures.push(error),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const post = (path: string, body: string, type = "application/json") =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body, headers: { "content-type": type } });
  return { port, post, admissions, failures };
}

const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "1",
    kind: { group: "networking.istio.io", version: "v1", kind: "Sidecar" },
    operation: "CREATE",
    namespace: "shop",
    object: {
      apiVersion: "networking.istio.io/v1",
      kind: "Sidecar",
      metadata: { name: "default" },
      spec: { egress: [{ hosts: ["./*"] }] },
    },
  },
});

describe("a call to the webhook", () => {
  test.each(["/validate", "/admitpilot", "/admitmixer", "/validate?timeout=10s"])(
    "accepts reviews at %s",
    async (path) => {
      const { post, admissions } = await serve();
      const answer = await post(path, review);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(await answer.json()).toEqual({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        response: { uid: "1", allowed: true },
      });
      expect(admissions).toHaveLength(1);
    },
  );

  test.each(["/ready", "/httpsReady"])("%s answers 200", async (path) => {
    const { port } = await serve();
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
  });

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON ;v=1"])(
    "accepts the content type %s",
    async (type) => {
      const { post } = await serve();
      expect((await post("/validate", review, type)).status).toBe(200);
    },
  );

  test.each([
    ["another content type", review, "application/yaml", 415],
    ["no body", "", "application/json", 400],
    ["no body of another type", "", "application/yaml", 400],
    ["more than 8 MiB", " ".repeat(8 * 1024 * 1024 + 1), "application/json", 413],
  ])("with %s is refused", async (_what, body, type, status) => {
    const { post, admissions } = await serve();
    expect((await post("/validate", body, type)).status).toBe(status);
    expect(admissions).toEqual([]);
  });

  test("with a body that is not a review gets a denial, not an error", async () => {
    const { post } = await serve();
    const answer = await post("/validate", "{");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ response: { allowed: false } });
  });

  test("with another path or method is refused with the right one", async () => {
    const { port, post } = await serve();
    const lost = await post("/mutate", review);
    expect([lost.status, await lost.text()]).toEqual([404, expect.stringContaining("/validate") as string]);
    expect((await fetch(`http://127.0.0.1:${port}/validate`)).status).toBe(405);
  });

  test("with 64 MB is refused before the body is sent", async () => {
    const { port } = await serve();
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("without a content length is read up to the limit", async () => {
    const { port } = await serve();
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /validate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = Buffer.alloc(1024 * 1024, " ");
    for (let sent = 0; sent < 9; sent += 1)
      socket.write(Buffer.concat([Buffer.from("100000\r\n"), chunk, Buffer.from("\r\n")]));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("gets no answer after the caller hangs up", async () => {
    const { port, failures, admissions } = await serve();
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{");
    await once(socket, "connect");
    socket.destroy();
    await expect.poll(() => failures.length).toBe(1);
    expect(admissions).toEqual([]);
  });
});
