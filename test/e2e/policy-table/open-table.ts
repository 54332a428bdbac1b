import { randomInt } from "node:crypto";
import { freePort } from "../support/free-port.ts";
import { startEcho } from "../support/envoy/echo.ts";
import { type IssuedFiles, TestAuthority } from "../support/tls/certificates.ts";
import { startTcpApplication } from "./applications.ts";
import { certificateFor, type OpenGroup, openMesh, type PlacedGroup } from "./open-mesh.ts";
import { identityOf } from "./predict.ts";
import type { Area, Group, TableMesh, TablePeer } from "./row.ts";

/** All meshes of the table, with everything that rows need. */
export interface OpenTable {
  readonly groupOf: (group: Group) => OpenGroup;
  readonly peer: (name: string) => TablePeer;
  /** The certificate of a caller. */
  readonly certificateOf: (as: string) => Promise<IssuedFiles>;
  readonly trusted: IssuedFiles;
}

const commonMesh: TableMesh = { name: "common", config: {} };

export async function openTable(areas: readonly Area[], stack: AsyncDisposableStack): Promise<OpenTable> {
  const authority = stack.use(await TestAuthority.create());
  const peers = await startPeers(areas, stack);
  const ports = Object.fromEntries(Array.from(peers, ([name, { port }]) => [name, port]));
  const placed = await placedGroups(areas, ports);
  const meshes = new Map(placed.map(({ group: { mesh = commonMesh } }) => [mesh.name, mesh]));
  const providers = areas.flatMap((area) => area.providers?.(ports) ?? []);
  const open = await Promise.all(
    Array.from(meshes.values(), (mesh) => {
      const groups = placed.filter(({ group }) => (group.mesh ?? commonMesh).name === mesh.name);
      return openMesh({ mesh, groups, ports, providers, authority }, stack);
    }),
  );
  const byGroup = new Map(open.flat().map((each) => [each.group, each]));
  const certificates = new Map<string, Promise<IssuedFiles>>();
  return {
    groupOf: (group) => given(byGroup.get(group), group.about),
    peer: (name) => given(peers.get(name), name),
    certificateOf: (as) => {
      const known = certificates.get(as) ?? certificateFor(identityOf(as), authority);
      certificates.set(as, known);
      return known;
    },
    trusted: await authority.issue("table", "caller"),
  };
}

function given<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`there is no ${name}`);
  return value;
}

async function startPeers(areas: readonly Area[], stack: AsyncDisposableStack): Promise<Map<string, TablePeer>> {
  const starts = Object.entries(
    Object.assign({}, ...areas.map(({ peers }) => peers ?? {})) as NonNullable<Area["peers"]>,
  );
  const own = [
    ["app", () => startEcho("app")],
    ["tcp", startTcpApplication],
  ] as const;
  const started = await Promise.all(
    [...own, ...starts].map(async ([name, start]) => [name, stack.use(await start())] as const),
  );
  return new Map(started);
}

/** Each group has its own loopback address. Another run of the table on this machine has others. */
async function placedGroups(areas: readonly Area[], ports: Readonly<Record<string, number>>) {
  const [second, third] = [randomInt(16, 250), randomInt(0, 250)];
  const placed: PlacedGroup[] = [];
  const groups = areas.flatMap((area) => area.groups);
  for (const [index, group] of groups.entries()) {
    const address = `127.${second}.${third + Math.floor(index / 250)}.${2 + (index % 250)}`;
    const app = nameOf(group);
    const servicePort = group.rows.some(({ call }) => call.through !== undefined) ? await freePort() : undefined;
    placed.push({ group, place: { namespace: app, app, address, ports }, servicePort });
  }
  return placed;
}

/** `DENY by path` is `deny-by-path`. */
export function nameOf({ about }: Group): string {
  return about.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-");
}
