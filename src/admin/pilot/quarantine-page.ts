import { type ConfigId, configId } from "../../config/config.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { namespaceOf } from "../../pilot/model/config-id.ts";
import type { QuarantineReport, ReleaseResult, RetryResult } from "../../pilot/xds/quarantine/report.ts";
import { json, type PageAnswer, type Route, text } from "../route.ts";
import { objectWithReference } from "./object-reference.ts";
import { type QuarantinedObject, quarantinedObjects, quarantinedWithin, type QuarantineState } from "./quarantine.ts";

/** The content of the page. */
export interface QuarantinePage {
  /** Whether the server keeps refused objects away at all (`--quarantine`). */
  readonly enabled: boolean;
  readonly objects: readonly QuarantinedObject[];
  /** Refused versions that proxies get because an operator released them. */
  readonly released: readonly {
    readonly object: ConfigId;
    readonly reference: string;
    readonly version: string;
    readonly class: string;
  }[];
  /** The search that runs now. */
  readonly search: {
    readonly class: string;
    readonly node: string;
    readonly suspects: number;
    readonly probes: number;
  } | null;
  /** Proxies that are not used for searches now. `until` is empty if nothing ends that. */
  readonly untrusted: readonly { readonly node: string; readonly reason: string; readonly until: string }[];
}

/** Changes of the quarantine by an operator. */
export interface QuarantineActions {
  readonly retry: (object?: ConfigId) => RetryResult;
  readonly release: (object: ConfigId) => Promise<ReleaseResult>;
}

export const quarantineCommands = ["retry", "release"] as const;

/** The quarantine, and two commands for operators. `actions` is undefined if the server keeps no object away. */
export function quarantinePage(state: QuarantineState, actions: QuarantineActions | undefined): Route {
  const whole = () => json(pageOf(state));
  return {
    path: "/debug/quarantine",
    doc:
      "objects that are kept away from proxies that refuse them: reason, place, and the content that is served instead; " +
      "POST command=retry, command=retry&object=KIND/NAMESPACE/NAME or command=release&object=KIND/NAMESPACE/NAME",
    answer: whole,
    answerWithin: (namespace) => json(pageWithin(namespace, state)),
    change: {
      method: "POST",
      async apply(body) {
        if (actions === undefined) return text("this server keeps no object away: see --quarantine", 409);
        const asked = new URLSearchParams(body.trim());
        const command = quarantineCommands.find((known) => known === asked.get("command"));
        if (command === undefined) return text(`expected command=${quarantineCommands.join(" or command=")}`, 400);
        const word = asked.get("object");
        const object = word === null ? undefined : idIn(word);
        if (word !== null && object === undefined) return text(`${word} is not KIND/NAMESPACE/NAME`, 400);
        if (command === "retry") return answerTo(actions.retry(object), object, state) ?? whole();
        if (object === undefined) return text("missing parameter: object=KIND/NAMESPACE/NAME", 400);
        return answerTo(await actions.release(object), object, state) ?? whole();
      },
    },
  };
}

function idIn(word: string): ConfigId | undefined {
  const [kind, namespace, name, ...more] = word.split("/");
  if (!kind || namespace === undefined || !name || more.length > 0) return undefined;
  return configId(kind, namespace, name);
}

/** The refusal of a command; undefined if it is carried out. */
function answerTo(
  { type }: RetryResult | ReleaseResult,
  object: ConfigId | undefined,
  state: QuarantineState,
): PageAnswer | undefined {
  switch (type) {
    case "not refused":
      return text(notRefused(object, state), 404);
    case "no proxy":
      return text("no proxy can try it now: one that refuses it must be connected and in sync", 409);
    case "started":
    case "released":
    default:
      return undefined;
  }
}

function notRefused(object: ConfigId | undefined, state: QuarantineState): string {
  if (object === undefined) return "nothing is in quarantine";
  const known = quarantinedObjects(state).map((each) => each.object);
  const near = didYouMean(object, known);
  return `${object} is not in quarantine${near === undefined ? "" : `; did you mean ${near}?`}`;
}

function pageOf(state: QuarantineState): QuarantinePage {
  const report = state.quarantine();
  const { search, untrusted = [] } = report ?? {};
  return {
    enabled: report !== undefined,
    objects: quarantinedObjects(state),
    released: releasedIn(report, state),
    search: search === undefined ? null : searchIn(search, report),
    untrusted: untrusted.map(({ node, reason, until }) => ({
      node,
      reason,
      until: Number.isFinite(until) ? state.timeOf(until).toISOString() : "",
    })),
  };
}

function pageWithin(namespace: string, state: QuarantineState): QuarantinePage {
  const report = state.quarantine();
  return {
    enabled: report !== undefined,
    objects: quarantinedWithin(namespace, state),
    released: releasedIn(report, state).filter(({ object }) => namespaceOf(object) === namespace),
    search: null,
    untrusted: [],
  };
}

function releasedIn(report: QuarantineReport | undefined, state: QuarantineState): QuarantinePage["released"] {
  return (report?.released ?? []).map(({ classId, id, version = "" }) => ({
    ...objectWithReference(id, state),
    version,
    class: classNameIn(report, classId),
  }));
}

function searchIn(
  { classId, node, suspects, probes }: NonNullable<QuarantineReport["search"]>,
  report: QuarantineReport | undefined,
) {
  return { class: classNameIn(report, classId), node, suspects: suspects.length, probes };
}

function classNameIn(report: QuarantineReport | undefined, classId: string): string {
  return report?.classes.find(({ id }) => id === classId)?.description ?? classId;
}
