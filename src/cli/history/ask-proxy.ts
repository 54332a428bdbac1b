import { proxyIn } from "../../app/history/logged-proxy.ts";
import { type GeneratedMoment, type HeldMoments, heldMesh, heldMoments } from "../../app/history/proxy-resources-at.ts";
import { kindByCollection } from "../../config/kinds.ts";
import type { ProxyAt } from "../../history/fleet-at.ts";
import type { MeshAt, Position } from "../../history/history.ts";
import type { StateEntry } from "../../history/moment.ts";
import { counted } from "../../lib/counted.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { ExitCode, type Terminal } from "../command.ts";
import { resourcesIn } from "../diff/compared-resources.ts";
import { differencesOf } from "../diff/difference.ts";
import { readNode } from "../flags/node-flags.ts";
import { dumpFor, readDump } from "../mesh/proxy-dump.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { resourceTables, tabledTypes } from "../proxies/resource-tables.ts";
import { type Asked, meshAt, misused, momentOf, print, printDifferences } from "./asked.ts";
import { blamedText, blameProxy } from "./blame-proxy.ts";
import { objectName } from "./logged-place.ts";
import { fleetText, shownFleet } from "./proxies-at.ts";
import { readPosition } from "./read-position.ts";

/** `at TIME show proxies`: the connected proxies. The exit code is 0, also if some were behind. */
export async function showProxies(asked: Asked, position: Position): Promise<ExitCode> {
  const { history } = asked;
  const mesh = await meshAt(history, position);
  const fleet = shownFleet((await history.fleetAt(position)) ?? { moment: 0, at: mesh.moment.at, proxies: new Map() });
  print({ ...momentOf(mesh), ...fleet }, (table) => fleetText(fleet, table), asked);
  return ExitCode.ok;
}

/** `at TIME show|diff|blame PROXY`: the resources that a proxy had. */
export async function askProxy(asked: Asked, position: Position, question: string, node: string): Promise<ExitCode> {
  const { given, terminal, now } = asked;
  const { proxy, held } = await askedProxy(asked, position, node);
  if (question === "blame") {
    const resources = blameProxy(held, proxy);
    print({ ...momentOf(held.mesh), resources }, () => blamedText(resources), asked);
    return ExitCode.ok;
  }
  if (question === "show") {
    const { types, ...rest } = dumpFor(proxy, heldMesh(held));
    const known = new Set<string>(proxyResourceTypes.map(({ typeUrl }) => typeUrl));
    const dump = { ...rest, types: types.filter(({ type_url }) => known.has(type_url)) };
    print({ ...momentOf(held.mesh), ...dump }, (table) => resourceTables(readDump(dump), tabledTypes, table), asked);
    return ExitCode.ok;
  }
  if (question !== "diff") throw misused(given);
  const later = await laterMoments(asked, readPosition(given.value("to"), now), proxy, held);
  const differences = differencesOf(resourcesIn(heldMesh(held), proxy), resourcesIn(heldMesh(later), proxy));
  for (const each of held === later ? [] : [later]) complainOf(each, terminal);
  return printDifferences(asked, [held.mesh, later.mesh], differences);
}

interface AskedProxy {
  readonly proxy: Proxy;
  readonly held: HeldMoments;
}

/**
 * The proxy as the log has it, or as the flags describe it. At a time, it had what it had accepted; at a moment, what the
 * moment has for it.
 */
async function askedProxy(asked: Asked, position: Position, node: string): Promise<AskedProxy> {
  const { given, history, terminal } = asked;
  const mesh = await meshAt(history, position);
  const isDescribed = given.has("label") || given.has("meta");
  const logged = isDescribed ? undefined : await loggedAt(asked, position, node);
  const held = await heldAt(asked, position, mesh, logged);
  complainOf(held, terminal);
  const found = logged && proxyIn(logged.proxy);
  if (found !== undefined) return { proxy: found, held };
  if (!node.includes("~")) throw new MeshError("not-found", `${node} was not connected then`);
  const sketch = { ...mesh.settings, certificates: { type: "none" }, metadata: {}, argument: "PROXY" } as const;
  return { proxy: readNode(node, given, sketch).proxy, held };
}

interface LoggedAt {
  readonly proxy: ProxyAt;
  /** The last moment that had been pushed. */
  readonly moment: number;
}

/** A proxy by its node ID, or by parts of it: TYPE~NAME.NAMESPACE or NAME.NAMESPACE. */
async function loggedAt({ history }: Asked, position: Position, node: string): Promise<LoggedAt | undefined> {
  const fleet = await history.fleetAt(position);
  const proxy = [...(fleet?.proxies.values() ?? [])].find(({ nodeId }) => {
    const [type = "", , id = ""] = nodeId.split("~");
    return [nodeId, `${type}~${id}`, id].includes(node);
  });
  return proxy && fleet && { proxy, moment: fleet.moment };
}

async function heldAt({ history }: Asked, position: Position, mesh: MeshAt, logged: LoggedAt | undefined) {
  const momentAt = (number: number) => history.at({ type: "moment", number });
  if (logged === undefined || position.type === "moment") return await heldMoments(mesh, {}, momentAt);
  const pushed = logged.moment < mesh.moment.number ? await momentAt(logged.moment) : mesh;
  return await heldMoments(pushed ?? mesh, logged.proxy.lags, momentAt);
}

/** The proxy at the other end of a comparison. If it is gone by then, it is compared with what it would get. */
async function laterMoments(asked: Asked, position: Position, { nodeId }: Proxy, held: HeldMoments) {
  const mesh = await meshAt(asked.history, position);
  if (mesh.moment.number === held.mesh.moment.number && held.older.size === 0) return held;
  return await heldAt(asked, position, mesh, await loggedAt(asked, position, nodeId));
}

/** Says which resources are not as they were. */
function complainOf({ older, ...newest }: HeldMoments, { complain }: Pick<Terminal, "complain">): void {
  for (const [type, moment] of older) {
    const number = moment?.mesh.moment.number;
    complain(`note: the proxy had accepted ${number === undefined ? "no" : `moment ${number} of`} ${type}`);
  }
  const generated = new Set<GeneratedMoment>([newest, ...[...older.values()].filter((each) => each !== undefined)]);
  const missing = [...generated].flatMap((each) => each.missing);
  const redacted = [...generated].flatMap((each) => each.redacted);
  const others = redacted.filter(({ collection }) => kindByCollection(collection)?.builtIn !== true);
  if (missing.length > 0) complain(`warning: ${counted(missing.length, "object")} cannot be read: ${namesOf(missing)}`);
  if (others.length > 0) complain(`note: keys or tokens were left out of ${namesOf(others)}`);
}

function namesOf(entries: readonly StateEntry[]): string {
  return [...new Set(entries.map(objectName))].join(", ");
}
