import { type ConfigId, configId } from "../../config/config.ts";
import { namespaceOf } from "../../pilot/model/config-id.ts";
import type { Question } from "../../pilot/xds/status/progress/object-progress.ts";
import { goals, type MissingProxy, type ObjectReport } from "../../pilot/xds/status/progress/object-report.ts";
import type { ObjectWaits } from "../../pilot/xds/status/progress/object-waits.ts";
import { proxySelectorOf } from "../../pilot/xds/status/progress/proxy-selector.ts";
import type { ObjectRollout } from "../../pilot/xds/rollout/object-rollout.ts";
import { json, type PageAnswer, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { withoutNodes } from "./rollouts-page.ts";

/** A proxy that has not accepted the content of an object. */
interface MissingProxyEntry {
  readonly proxy: string;
  readonly namespace: string;
  /** CDS, LDS, …; empty for all types. */
  readonly type: string;
  /** The first resources. */
  readonly resources: readonly string[];
  readonly resourceCount: number;
  readonly why: MissingProxy["why"];
  /** Empty if it is not known. */
  readonly since: string;
  /** The words of the proxy, or further facts; empty without any. */
  readonly message: string;
}

/** The content of the page. */
export interface ObjectProgressPage
  extends Pick<ObjectReport, "state" | "version" | "contentHash" | "reference" | "source" | "waits" | "proxies"> {
  /** `Kind/namespace/name`. */
  readonly object: ConfigId;
  readonly for: ObjectReport["goal"];
  /** The goal is reached. */
  readonly met: boolean;
  /** The goal is reached, or cannot be reached before something else changes. */
  readonly final: boolean;
  /** The first entries. */
  readonly missing: readonly MissingProxyEntry[];
  readonly missingCount: number;
  /** The rollout that brings the content to the proxies in waves. Absent if none does. */
  readonly rollout?: AwaitedRollout;
}

interface AwaitedRollout extends Pick<ObjectRollout, "phase" | "wave" | "waves" | "reason"> {
  /** `namespace/name`. */
  readonly rollout: string;
  /** The rollout that is delivered before this one; empty without one. */
  readonly behind: string;
}

/** The longest time that a request may wait. Clients ask again. */
export const longestWaitMs = 8_000;
const maxEntries = 200;
const maxResources = 10;
const maxSelectors = 100;

type ProgressState = Pick<PilotState, "timeOf">;

/** How far an object is at the proxies. With `wait` the answer comes when the goal is reached, or the time is over. */
export function objectProgressPage(waits: ObjectWaits, state: ProgressState): Route {
  const answer = async (query: URLSearchParams, namespace?: string): Promise<PageAnswer> => {
    const question = questionIn(query, namespace);
    if (typeof question === "string") return text(question, 400);
    const waitMs = Number(query.get("wait") ?? "0");
    if (!(waitMs >= 0)) return text("wait: expected milliseconds", 400);
    const report = await waits.reached(question, Math.min(waitMs, longestWaitMs));
    return report === undefined
      ? text("too many clients wait already; try again later", 503)
      : json(pageOf(report, state, namespace !== undefined));
  };
  return {
    path: "/debug/object_progress",
    doc:
      "proxies that have accepted the content of an object, and those that have not, with the reason; " +
      "?object=KIND/NAMESPACE/NAME&for=live|acked|rejected|deleted&version=HASH&proxy=SELECTOR&wait=MS",
    answer: (query) => answer(query),
    answerWithin: (namespace, query) => answer(query, namespace),
  };
}

/** A workload may ask only about objects and proxies of its namespace. */
function questionIn(query: URLSearchParams, namespace: string | undefined): Question | string {
  const [, kind, its, name] = /^([^/]+)\/([^/]*)\/([^/]+)$/u.exec(query.get("object") ?? "") ?? [];
  if (kind === undefined || its === undefined || name === undefined) {
    return "missing parameter: add ?object=KIND/NAMESPACE/NAME";
  }
  const id = configId(kind, its, name);
  if (namespace !== undefined && namespaceOf(id) !== namespace) return `object: expected one of namespace ${namespace}`;
  const word = query.get("for") ?? "live";
  const goal = goals.find((known) => known === word);
  if (goal === undefined) return `for: expected one of ${goals.join(", ")}`;
  const texts = [...query.getAll("proxy"), ...(namespace === undefined ? [] : [`namespace/${namespace}`])];
  const expected = query.getAll("expected");
  if (texts.length + expected.length > maxSelectors) return `proxy: at most ${maxSelectors}`;
  const proxies = texts.map(proxySelectorOf).filter((selector) => selector !== undefined);
  if (proxies.length < texts.length) return "proxy: expected NODE, POD.NAMESPACE, namespace/NAME or key=value,…";
  const version = query.get("version") ?? undefined;
  return { id, goal, version, proxies, expected, allowNone: query.get("allow_none") === "true" };
}

function shownRollout(
  { id, phase, wave, waves, reason, behind = "" }: ObjectRollout,
  isLimited: boolean,
): AwaitedRollout {
  return { rollout: id, phase, wave, waves, behind, reason: isLimited ? withoutNodes(reason) : reason };
}

function pageOf(report: ObjectReport, { timeOf }: ProgressState, isLimited: boolean): ObjectProgressPage {
  const { id, goal, state, isMet, isFinal, version, contentHash, reference, source, waits, proxies, missing, rollout } =
    report;
  return {
    object: id,
    for: goal,
    state,
    met: isMet,
    final: isFinal,
    version,
    contentHash,
    reference,
    source,
    waits,
    proxies,
    missing: missing.slice(0, maxEntries).map(({ node, namespace, type, resources, why, since, message = "" }) => ({
      proxy: node,
      namespace,
      type,
      resources: resources.slice(0, maxResources),
      resourceCount: resources.length,
      why,
      since: since === undefined ? "" : timeOf(since).toISOString(),
      message,
    })),
    missingCount: missing.length,
    ...(rollout && { rollout: shownRollout(rollout, isLimited) }),
  };
}
