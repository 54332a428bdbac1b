import { describe, expect, onTestFinished, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import type { QuarantinedObject } from "../../admin/pilot/quarantine.ts";
import type { QuarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { json, type Route, text } from "../../admin/route.ts";
import { configId } from "../../config/config.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

const refused: QuarantinedObject = {
  object: configId("VirtualService", "shop", "reviews"),
  reference: "mesh/routes.yaml:7",
  version: "v2",
  class: "router 1.40.0 (3f2a91)",
  proxies: 2,
  since: "2026-01-01T00:00:00.000Z",
  confirmedBy: "gw-1",
  reason: "no such regex",
  rejected: [{ type: "RDS", resources: ["http.80", "http.81", "http.82"] }],
  node: "gw-0",
  probes: 4,
  instead: { type: "earlier version", version: "v1" },
  state: { type: "wave", wave: 1, waves: 3 },
};
const empty: QuarantinePage = { enabled: true, objects: [], released: [], search: null, untrusted: [] };

/** A server whose page has this content. It carries out every command about `reviews`. */
async function run(content: Partial<QuarantinePage>, ...args: readonly string[]) {
  const commands: string[] = [];
  const page: Route = {
    path: "/debug/quarantine",
    doc: "",
    answer: () => json({ ...empty, ...content }),
    change: {
      method: "POST",
      apply(body) {
        commands.push(body);
        return body.includes("ratings") ? text("it is not in quarantine", 404) : json({ ...empty, ...content });
      },
    },
  };
  const server = new HttpServer({
    address: "127.0.0.1:0",
    routes: [page],
    logger: new RecordingLogger(),
    onFailure: () => {},
  });
  onTestFinished(() => server.stop());
  const ran = await runCommand(["quarantine", ...args, "--server", await server.start()]);
  return { ...ran, commands };
}

describe("quarantine list", () => {
  test("names class, proxies, time and replacement of each object, then place and words of the proxy, and ends with 1", async () => {
    expect(await run({ objects: [refused] }, "list")).toMatchObject({
      code: 1,
      stdout: `\
OBJECT                        REFUSED BY               PROXIES   SINCE                      INSTEAD              STATE
VirtualService/shop/reviews   router 1.40.0 (3f2a91)   2         2026-01-01T00:00:00.000Z   earlier version v1   accepted, wave 1 of 3

mesh/routes.yaml:7: VirtualService/shop/reviews: no such regex
  rejected: RDS http.80 or one of 2 others`,
      commands: [],
    });
  });

  test.each<readonly [what: string, more: Partial<QuarantinedObject>, said: RegExp]>([
    ["an object without substitute", { instead: { type: "nothing" } }, /nothing +accepted/u],
    ["a policy", { instead: { type: "denied" } }, /a denial of all requests +accepted/u],
    ["a refused deletion", { version: "", state: { type: "refused" } }, /deletion refused/u],
    ["a trial", { state: { type: "being tried", node: "gw-1" } }, /being tried/u],
  ])("says so of %s", async (_what, more, said) => {
    expect((await run({ objects: [{ ...refused, ...more }] }, "list")).stdout).toMatch(said);
  });

  test("-o wide has the place, the version, the proxies of the search and the reason as columns", async () => {
    const { stdout } = await run({ objects: [refused] }, "list", "-o", "wide");
    const [head = "", row = ""] = stdout.split("\n");
    expect(head).toMatch(/PLACE +VERSION +FOUND ON +CONFIRMED BY +PROBES +REASON$/u);
    expect(row).toMatch(/mesh\/routes\.yaml:7 +v2 +gw-0 +gw-1 +4 +no such regex$/u);
  });

  test("names released versions, the running search, and proxies that are not used for searches", async () => {
    const { object, reference } = refused;
    const content: Partial<QuarantinePage> = {
      released: [{ object, reference, version: "v2", class: "router" }],
      search: { class: "router", node: "gw-0", suspects: 3, probes: 1 },
      untrusted: [{ node: "gw-2", reason: "contradicted", until: "2026-01-01T00:10:00.000Z" }],
    };
    const { code, stdout } = await run(content, "list");
    expect([code, stdout.split("\n\n")]).toEqual([
      0,
      [
        "nothing is in quarantine",
        "mesh/routes.yaml:7: VirtualService/shop/reviews is served to router, because an operator released it",
        "a search runs on gw-0: 3 suspects, 1 probe",
        "gw-2 is not used for searches until 2026-01-01T00:10:00.000Z: contradicted",
      ],
    ]);
  });

  test("ends with 0 if nothing is in quarantine, or the server keeps no object away", async () => {
    expect(await run({}, "list")).toMatchObject({ code: 0, stdout: "nothing is in quarantine" });
    expect(await run({ enabled: false }, "list")).toMatchObject({
      code: 0,
      stdout: "this server keeps no object away: see --quarantine",
    });
  });

  test.each(["json", "yaml"])("prints %s for programs", async (notation) => {
    const { code, stdout } = await run({ objects: [refused] }, "list", "-o", notation);
    expect([code, stdout]).toEqual([1, expect.stringContaining("mesh/routes.yaml:7")]);
  });
});

describe("quarantine retry and release", () => {
  test.each([
    [["retry"], "command=retry"],
    [["retry", refused.object], "command=retry&object=VirtualService%2Fshop%2Freviews"],
    [["release", refused.object], "command=release&object=VirtualService%2Fshop%2Freviews"],
  ])("%j is sent to the server, and ends with 0 although the object is still there", async (args, command) => {
    const { code, commands, stdout } = await run({ objects: [refused] }, ...args);
    expect([code, commands]).toEqual([0, [command]]);
    expect(stdout).toContain(refused.object);
  });

  test("end with 1 and the server's words if the server refuses", async () => {
    expect(await run({}, "release", "VirtualService/shop/ratings")).toMatchObject({
      code: 1,
      stderr: "binnacle quarantine: it is not in quarantine",
    });
  });

  test.each([[["steal"]], [["release"]], [["list", "VirtualService/shop/reviews"]], [["retry", "a", "b"]], [[]]])(
    "%j is wrong usage, and sends nothing",
    async (args) => {
      expect(await run({}, ...args)).toMatchObject({ code: 2, commands: [] });
    },
  );
});
