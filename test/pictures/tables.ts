import { schemes } from "../../src/app/sources/schemes.ts";
import { defaultOptions, optionTable } from "../../src/app/options/options.ts";
import { snapshotStrategies } from "../../src/config/kind.ts";
import { kinds } from "../../src/config/kinds.ts";
import { collectionsOf, transformsFor } from "../../src/galley/processor/transforms.ts";
import { loadLevels, resources } from "../../src/lib/overload/pressure.ts";
import { type Pace, paceOf, works } from "../../src/lib/overload/work.ts";
import { changedKinds } from "../../src/pilot/xds/generator.ts";
import { waveSizes } from "../../src/pilot/xds/quarantine/waves.ts";
import { clusterReferrers } from "../../src/xds/type-urls.ts";
import { layers } from "../laws.ts";
import { drawChain } from "./chain.ts";
import { type Cell, drawGrid } from "./grid.ts";
import { generators, typeNames } from "./type-names.ts";
import type { Tone } from "../../site/picture/svg.ts";

const options = defaultOptions();

/** The names of the sources, without the variants with TLS. */
const sourceNames = [
  ...new Set(
    Object.keys(schemes)
      .filter((name) => !(name.slice(0, -1) in schemes))
      .map((name) => name.replace(/s?\+.*$/u, "")),
  ),
];
const sentTypes = generators.map(({ shortName }) => shortName);

/** From the sources to the proxies. */
export function flowPicture(): string {
  const groups = Object.entries(snapshotStrategies).filter(([group]) => group !== "localAnalysis");
  return drawChain("The way of a change: sources, Galley, snapshots, Pilot, proxies", [
    { lines: ["Sources", sourceNames.join(", ")], tone: "accent", after: "an object was set or deleted" },
    {
      lines: ["Galley: validate, unite, transform", `${kinds.length} kinds, one graph`],
      after: "one commit per batch",
    },
    {
      lines: ["Snapshots", groups.map(([group]) => group).join(", ")],
      tone: "accent",
      after: "in the same process, or over MCP",
    },
    { lines: ["Pilot: services, endpoints, gateways, rules", "a second graph"], after: "a push request, debounced" },
    {
      lines: ["Parts: shared, encoded resources", sentTypes.join(", ")],
      tone: "accent",
      after: "the difference to what a client has",
    },
    { lines: ["Proxies: Envoy, proxyless gRPC", "each answers with ACK or NACK"], tone: "ok" },
  ]);
}

/** The folders of `src`, and which folder each one may import. */
export function layersPicture(): string {
  const names = Object.keys(layers);
  const isUsed = (name: string) => names.some((each) => layers[each]?.includes(name));
  const columns = names.filter(isUsed);
  return drawGrid({
    title: "The folders of the code, and which folder may import which",
    columns,
    upright: true,
    rows: names.map((name) => ({
      name,
      cells: columns.map((column) => (layers[name]?.includes(column) ? { text: "•" } : undefined)),
    })),
  });
}

/** The groups of collections that are published together. */
export function groupsPicture(): string {
  const transforms = transformsFor(kinds);
  const sizeOf = (group: keyof typeof snapshotStrategies) => collectionsOf(group, transforms).length;
  const groups = Object.entries(snapshotStrategies) as readonly [keyof typeof snapshotStrategies, string][];
  return drawGrid({
    title: "The snapshot groups, their collections and their strategies",
    columns: ["collections", "published"],
    rows: groups.map(([group, strategy]) => ({
      name: group,
      cells: [
        { text: String(sizeOf(group)), tone: "plain" },
        {
          text: strategy === "debounce" ? "after a quiet time" : "at once",
          tone: strategy === "debounce" ? "warning" : "ok",
        },
      ],
    })),
  });
}

/** The families of parts of each type. */
export function familiesPicture(): string {
  const names = [...new Set(generators.flatMap(({ families }) => families.map(({ name }) => name)))];
  return drawGrid({
    title: "The families of parts that make up each xDS type",
    columns: sentTypes,
    rows: names.map((name) => ({
      name,
      cells: generators.map(({ families }) =>
        families.some((each) => each.name === name) ? { text: "•" } : undefined,
      ),
    })),
  });
}

/** The types that a change of each kind can alter. */
export function concernsPicture(): string {
  return drawGrid({
    title: "The xDS types that a change of each kind can alter",
    columns: sentTypes,
    rows: changedKinds.map((kind) => ({
      name: kind,
      cells: generators.map(({ families }) =>
        families.some((each) => each.concerns(kind)) ? { text: "•" } : undefined,
      ),
    })),
  });
}

/** From a commit to the wire, with the defaults of the options. */
export function pushPicture(): string {
  const { debounceAfterMs, debounceMaxMs, ackTimeoutMs } = options;
  return drawChain("The push pipeline, with its default times", [
    { lines: ["Commit", "all derived objects are settled"], tone: "accent", after: "which objects changed?" },
    {
      lines: ["Lane", `waits for ${debounceAfterMs} quiet ms, ${debounceMaxMs} ms at most; endpoints do not wait`],
      tone: "warning",
      after: "all changes so far, as one push",
    },
    { lines: ["Catalogue", "generates each part in use once"], tone: "accent", after: "equal bytes stop here" },
    { lines: ["Push queue", "one place per proxy, namespaces take turns"], after: "a bounded number at a time" },
    { lines: ["Connection", `types in this order: ${sentTypes.join(", ")}`], after: "only the difference" },
    { lines: ["Proxy", `ACK or NACK; after ${ackTimeoutMs / 1000} s without one the stream goes on`], tone: "ok" },
  ]);
}

function cell(text: string, tone: Tone): Cell {
  return { text, tone };
}

/** Additions go in this order, removals in the opposite one. */
export function orderPicture(): string {
  const referrers = clusterReferrers.map((type) => typeNames.get(type)).join(" and ");
  return drawGrid({
    title: "When additions and removals of each type are sent",
    columns: ["an addition waits for", "a removal waits for"],
    rows: [
      { name: "CDS", cells: [cell("nothing", "ok"), cell(`ACK of ${referrers} without it`, "warning")] },
      { name: "EDS", cells: [cell("nothing", "ok"), cell("ACK of CDS without it", "warning")] },
      ...clusterReferrers.map((type) => ({
        name: typeNames.get(type) ?? type,
        cells: [cell("ACK of CDS with its clusters", "warning"), cell("nothing", "ok")],
      })),
    ],
  });
}

const paceTones: Readonly<Record<Pace, Tone>> = {
  usual: "ok",
  slower: "warning",
  slowest: "warning",
  refused: "error",
};

/** The pace of each class of work at each level of load. */
export function pacesPicture(): string {
  return drawGrid({
    title: "The pace of each class of work at each level of load",
    columns: loadLevels,
    rows: works.map((work) => ({
      name: work,
      cells: loadLevels.map((level) => {
        const pace = paceOf(work, level);
        return { text: pace, tone: paceTones[pace] };
      }),
    })),
  });
}

/** Shares are below 1, times are in milliseconds. */
function thresholdText(value: number): string {
  if (value < 1) return `${Math.round(value * 100)} %`;
  return value < 1000 ? `${value} ms` : `${value / 1000} s`;
}

/** The values from which on the server is elevated, high and critical. */
export function thresholdsPicture(): string {
  const tones: readonly Tone[] = ["warning", "warning", "error"];
  return drawGrid({
    title: "The thresholds of the load levels",
    columns: loadLevels.slice(1),
    rows: Object.entries(resources).map(([name, { thresholds }]) => ({
      name,
      cells: thresholds.map((value, index) => ({ text: thresholdText(value), tone: tones[index] ?? "plain" })),
    })),
  });
}

/** The waves in which a mended object arrives at 200 proxies of a class. */
export function wavesPicture(): string {
  const proxies = 200;
  const waves = waveSizes(proxies);
  return drawGrid({
    title: `The waves in which a changed object reaches ${proxies} proxies of a class that refused it`,
    columns: waves.map((_, index) => `wave ${index + 1}`),
    rows: [
      { name: "proxies with the object", cells: waves.map((size) => ({ text: String(size), tone: "ok" })) },
      { name: "proxies without it", cells: waves.map((size) => ({ text: String(proxies - size), tone: "plain" })) },
    ],
  });
}

function flag(key: keyof typeof optionTable): string {
  return `--${optionTable[key].name}`;
}

/** How a proxy proves its identity, and the flags behind each step. */
export function identityPicture(): string {
  return drawChain("From a credential to a served proxy", [
    {
      lines: ["Credential", `certificate (${flag("tlsCa")}), token (${flag("jwtIssuer")}, ${flag("tokenReview")})`],
      tone: "accent",
      after: `on ${flag("xdsTls")}`,
    },
    { lines: ["Identity", "spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT"], after: flag("xdsIdentityCheck") },
    { lines: ["Node", "must name the same namespace and service account"], after: "else the stream ends" },
    { lines: ["Configuration of this proxy", "secrets only of its own namespace"], tone: "ok", after: flag("ca") },
    { lines: ["Workload certificate", "for the identity that it proved, nothing else"], tone: "ok" },
  ]);
}
