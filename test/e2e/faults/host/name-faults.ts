import { eventually } from "../../../../src/testing/eventually.ts";
import { TempTree } from "../../../../src/testing/temp-tree.ts";
import { binnacle } from "../../support/binnacle/command.ts";
import { MortalGalley } from "../../support/binnacle/mortal-galley.ts";
import { freePort } from "../../support/free-port.ts";
import { get } from "../../support/http.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { metric } from "../../support/metrics.ts";
import { TokenIssuer } from "../../support/tls/token-issuer.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { kubeconfigFor, NameServer, nameServerUnavailable } from "./name-server.ts";

const host = "peer.faults.test";

/** A RequestAuthentication of gateways, whose keys are at this address. */
function requestAuthentication(jwksUri: string): string {
  const spec = { selector: { matchLabels: { app: "gw" } }, jwtRules: [{ issuer: "faults", jwksUri }] };
  const metadata = { name: "keys", namespace: "istio-system" };
  return JSON.stringify({ apiVersion: "security.istio.io/v1", kind: "RequestAuthentication", metadata, spec });
}

/** Names stop to resolve while a Galley and an issuer of tokens, both known by name, must be called again. */
async function withoutNames(behaviour: "fails" | "hangs"): Promise<FaultOutcome> {
  await using names = await NameServer.start();
  using elsewhere = new MeshDir();
  await using galley = new MortalGalley(await freePort(), elsewhere.path);
  await galley.start();
  using issuer = await TokenIssuer.create();
  await issuer.open();
  const source = `mcp://${host}:${galley.port}`;
  const jwks = ["--jwks-allow-http", "--jwks-allow-local", "--jwks-refresh", "1s"];
  const url = `http://${host}:${new URL(issuer.url).port}/keys`;
  const files = { "keys.yaml": requestAuthentication(url) };
  const place = { within: names.within, args: ["--source", source, ...jwks] };
  await using server = await FaultedServer.start({ ...place, files, fresh: place });
  const { metricsPort } = server.process;
  const stale = () => metric(metricsPort, "binnacle_source_stale_seconds", `source="${source}"`);

  names.behaviour = behaviour;
  const asked = names.asked;
  await galley.kill();
  await galley.start();
  await eventually("the source is stale", async () => (await stale()) > 0, { seconds: 20 });
  await eventually("names are asked for", () => names.asked > asked + 2, { seconds: 20 });
  for (let edit = 0; edit < 3; edit++) {
    server.edit();
    await server.recovered({ seconds: 5 });
  }
  names.behaviour = "answers";
  const healedAt = performance.now();
  await eventually("the source is fresh", async () => (await stale()) === 0, { seconds: 15 });
  const seconds = (performance.now() - healedAt) / 1000;
  server.edit();
  await server.recovered({ seconds: 20 });
  return await server.outcome(seconds, server.endedStreams);
}

/** Every source that calls a peer, by a name. */
function sourcesByName(): readonly string[] {
  const urls = ["mcp://PEER", "xds://PEER", "etcd://PEER/mesh", "zookeeper://PEER/dubbo", "eureka+http://PEER/eureka"];
  return [...urls.map((url) => url.replace("PEER", `${host}:1`)), "kube:"];
}

/** The server says for each source why it waits, answers at once, and stops when it is told to. */
async function startWithoutNames(behaviour: "fails" | "hangs"): Promise<readonly string[]> {
  await using names = await NameServer.start();
  names.behaviour = behaviour;
  using mesh = new MeshDir();
  await using closing = new AsyncDisposableStack();
  const folder = await TempTree.create();
  closing.defer(() => folder.close());
  const http = await freePort();
  const sources = sourcesByName();
  const ports = ["--xds", "127.0.0.1:0", "--http", `127.0.0.1:${http}`, "--metrics", "off", "--ctrlz", "off"];
  const kubeconfig = kubeconfigFor(folder.directory, `https://${host}:1`);
  const { within } = names;
  const child = closing.use(
    binnacle(["serve", mesh.path, ...sources.flatMap((source) => ["--source", source]), ...ports, ...kubeconfig], {
      within,
    }),
  );
  const unsaid = async () => {
    const { body } = await get(http, "/debug/sources");
    const reports = JSON.parse(body) as readonly { name: string; state: string; reason?: string }[];
    const silent = reports.filter(({ state, reason }) => state !== "synced" && reason === undefined);
    return [...silent.map(({ name }) => name), ...(reports.length > sources.length ? [] : ["too few sources"])];
  };
  const allSaid = async () => {
    const silent = await unsaid();
    if (silent.length > 0) throw new Error(`no reason for ${silent.join(", ")}`);
    return true;
  };
  await eventually("every source says why it waits", allSaid, { seconds: 15 });
  child.kill("SIGTERM");
  const code = await child.exited;
  return code === 0 ? [] : [`names that ${behaviour}: the server stopped with ${code}: ${child.log().slice(-500)}`];
}

/** Name servers that fail or hang. */
export const nameFaults: readonly Fault[] = [
  {
    name: "a name server that fails",
    effect:
      "Sources whose peer cannot be found become stale and say why. Their last objects, the last keys of token issuers, and all other sources stay in use.",
    bound: { seconds: 15 },
    form: "whole",
    unavailable: nameServerUnavailable,
    run: () => withoutNames("fails"),
  },
  {
    name: "a name server that hangs",
    effect: "The same. Questions that hang delay neither other sources nor files nor pushes.",
    bound: { seconds: 30 },
    form: "whole",
    unavailable: nameServerUnavailable,
    run: () => withoutNames("hangs"),
  },
  {
    name: "a start with a name server that fails or hangs, for every kind of source",
    effect: "Proxies wait. `/debug/sources` gives the reason for each source. The server stops when it is told to.",
    bound: { seconds: 60 },
    form: "whole",
    unavailable: nameServerUnavailable,
    async run() {
      const startedAt = performance.now();
      const findings = [...(await startWithoutNames("fails")), ...(await startWithoutNames("hangs"))];
      return { recoverySeconds: (performance.now() - startedAt) / 1000, lost: 0, findings };
    },
  },
];
