import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { text } from "../../admin/route.ts";
import { append } from "../../lib/append.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { deskRig } from "../../testing/desk/desk-rig.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { apiEndpoints } from "../api/endpoints.ts";
import { EventHub } from "../events/event-hub.ts";
import { DeskFiles } from "./desk-files.ts";
import { DeskServer } from "./desk-server.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const html = { accept: "text/html" };
/** A request that came through a proxy is not local: it needs a token. */
const remote = { "x-forwarded-for": "192.0.2.1" };
const clock = new FakeClock();
let base = "";
let unbuilt = "";
const closing: (() => Promise<void>)[] = [];

async function serve(folder: string): Promise<string> {
  const { state } = await deskRig();
  const viewers = {
    authenticate: async ({ headers }: { headers: { authorization?: string | undefined } }) => {
      const namespace = /^Bearer token-(\w+)$/u.exec(headers.authorization ?? "")?.[1];
      return namespace === undefined
        ? ({ type: "refused", reasons: ["no token"] } as const)
        : ({ type: "identified", identities: [`spiffe://cluster.local/ns/${namespace}/sa/x`] } as const);
    },
    systemNamespaces: () => ["operators"],
  };
  const guest = new DeskServer({
    state,
    endpoints: apiEndpoints(state),
    hub: new EventHub(state, clock),
    files: new DeskFiles(folder),
    viewers,
    clock,
    timeOf: (ms) => new Date(ms),
    logger: new RecordingLogger(),
  });
  const routes = [{ path: "/", doc: "index", open: true, answer: () => text("index of the port") }];
  const server = new HttpServer({
    address: "127.0.0.1:0",
    routes,
    guest,
    viewers,
    logger: new RecordingLogger(),
    onFailure(thrown) {
      throw thrown;
    },
  });
  closing.push(() => server.stop());
  return `http://${await server.start()}`;
}

beforeAll(async () => {
  const tree = await TempTree.create();
  closing.push(() => tree.close());
  await tree.write("index.html", "<!doctype html><title>Desk</title>");
  await tree.write("assets/desk-123.js", "export {};");
  await tree.write("assets/notes.txt", "not served");
  base = await serve(tree.path(""));
  unbuilt = await serve(tree.path("nothing"));
});

afterAll(async () => {
  for (const close of closing) await close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${base}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("the pages of the desk", () => {
  test.each([
    "/",
    "/changes",
    "/changes/s-1",
    "/proxies/a~b",
    "/mesh",
    "/configuration/x",
    "/explain",
    "/control-plane",
  ])("%s is the shell, never stored, with a strict policy", async (path) => {
    const { status, headers, body } = await ask(path, { headers: html });
    expect(status).toBe(200);
    expect(body).toContain("<title>Desk");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toBe(policy);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a client that is no browser gets the index of the port at /", async () => {
    expect((await ask("/", { headers: { accept: "*/*" } })).body).toBe("index of the port\n");
  });

  test("built files are stored for ever, with their content type", async () => {
    const { status, headers, body } = await ask("/assets/desk-123.js", { headers: remote });
    expect([status, body]).toEqual([200, "export {};"]);
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  test.each(["/assets/other.js", "/assets/notes.txt", "/assets/..%2findex.html", "/assets/", "/screens"])(
    "%s is not found",
    async (path) => expect((await ask(path, { headers: html })).status).toBe(404),
  );

  test("HEAD has the headers of GET, and no body", async () => {
    const { status, headers, body } = await ask("/assets/desk-123.js", { method: "HEAD" });
    expect([status, headers.get("content-length"), body]).toEqual([200, "10", ""]);
  });

  test("POST to a page is refused", async () => {
    expect((await ask("/assets/desk-123.js", { method: "POST" })).status).toBe(405);
  });

  test("a desk that is not built says so, and its API works", async () => {
    const page = await fetch(`${unbuilt}/`, { headers: html });
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("The desk is not built");
    expect((await fetch(`${unbuilt}/api/v1/overview`)).status).toBe(200);
  });

  test("a page of another site is refused", async () => {
    expect((await ask("/api/v1/overview", { headers: { origin: "http://evil.example" } })).status).toBe(403);
  });
});

describe("the API", () => {
  test.each([
    ["/api/v1/nope", 404],
    ["/api/v1/changes/s-99999", 404],
    ["/api/v1/proxies/%E0%A4%A", 404],
    ["/api/v1/overview", 200],
  ])("answers %s with %i in JSON", async (path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect("error" in JSON.parse(answer.body)).toBe(status !== 200);
  });

  test("refuses other methods", async () => {
    expect((await ask("/api/v1/overview", { method: "PUT", body: "{}" })).status).toBe(405);
  });

  test("needs a token from remote clients, who see their namespace", async () => {
    expect((await ask("/api/v1/overview", { headers: remote })).status).toBe(401);
    const headers = { ...remote, authorization: "Bearer token-aaa" };
    expect(JSON.parse((await ask("/api/v1/proxies", { headers })).body)).toMatchObject({ total: 1 });
  });

  test("pages of a list follow each other without gaps and repetitions", async () => {
    const seen: string[] = [];
    for (let cursor = "", pages = 0; pages < 5; pages++) {
      const { body } = await ask(`/api/v1/proxies?limit=1&cursor=${encodeURIComponent(cursor)}`);
      const page = JSON.parse(body) as { items: { namespace: string }[]; next?: string };
      append(
        seen,
        page.items.map(({ namespace }) => namespace),
      );
      if (page.next === undefined) break;
      cursor = page.next;
    }
    expect(seen).toEqual(["aaa", "bbb"]);
  });

  test("filters count what the other filters leave", async () => {
    const { body } = await ask("/api/v1/proxies?state=rejecting");
    expect(JSON.parse(body)).toMatchObject({
      total: 1,
      items: [{ namespace: "bbb", state: "rejecting" }],
      facets: { namespace: [{ value: "bbb", count: 1 }], state: [{ count: 1 }, { count: 1 }] },
    });
  });
});

function open(token: string) {
  return ask("/api/v1/session", { method: "POST", headers: remote, body: JSON.stringify({ token }) });
}

describe("a session", () => {
  test("stands for the entered token until it is closed, in a cookie that scripts cannot read", async () => {
    const { status, headers, body } = await open("token-operators");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ viewer: { type: "operator" }, by: "session" });
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/api\/v1; Max-Age=28800$/u);
    const own = { ...remote, cookie: cookie.split(";")[0] ?? "" };
    expect((await ask("/api/v1/overview", { headers: own })).status).toBe(200);
    await ask("/api/v1/session", { method: "DELETE", headers: own });
    expect((await ask("/api/v1/overview", { headers: own })).status).toBe(401);
  });

  test("of a workload sees its namespace", async () => {
    const cookie = (await open("token-aaa")).headers.get("set-cookie")?.split(";")[0] ?? "";
    const { body } = await ask("/api/v1/session", { headers: { ...remote, cookie } });
    expect(JSON.parse(body)).toMatchObject({ viewer: { type: "workload", namespace: "aaa" }, by: "session" });
  });

  test("ends after eight hours", async () => {
    const cookie = (await open("token-aaa")).headers.get("set-cookie")?.split(";")[0] ?? "";
    clock.advance(8 * 60 * 60 * 1_000);
    expect((await ask("/api/v1/overview", { headers: { ...remote, cookie } })).status).toBe(401);
  });

  test.each(["{}", "[]", "nonsense", '{"token": ""}'])("is not opened by %s", async (body) => {
    expect((await ask("/api/v1/session", { method: "POST", headers: remote, body })).status).toBe(400);
  });

  test("is not opened by a wrong token", async () => {
    expect((await open("wrong")).status).toBe(401);
  });

  test("local clients need none", async () => {
    expect(JSON.parse((await ask("/api/v1/session")).body)).toMatchObject({ by: "local" });
  });
});

test("a reader of events begins with a reset, and its stream ends with the request", async () => {
  const abort = new AbortController();
  const response = await fetch(`${base}/api/v1/events`, { signal: abort.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  let read = "";
  for (let chunks = 0; chunks < 5 && !read.includes("event: reset"); chunks++) {
    read += Buffer.from((await reader?.read())?.value ?? []).toString();
  }
  expect(read).toContain("event: reset");
  abort.abort();
});
