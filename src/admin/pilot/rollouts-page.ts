import type { ConfigId } from "../../config/config.ts";
import { cutText } from "../../lib/cut-text.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import type { StagedObject } from "../../pilot/registry/rollout/staged-change.ts";
import { gateText } from "../../pilot/xds/rollout/gate-verdict.ts";
import { waveTexts } from "../../pilot/xds/rollout/object-rollout.ts";
import { rolloutCommands } from "../../pilot/xds/rollout/rollout-commands.ts";
import type { RolloutEvent, Told } from "../../pilot/xds/rollout/rollout-event.ts";
import type { GateAnswer, StagedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import type { StagedRollouts } from "../../pilot/xds/rollout/staged-rollouts.ts";
import { json, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";

/** One staged change, for pages and commands. */
export interface ShownRollout {
  /** `namespace/name`. */
  readonly rollout: string;
  /** Other rollouts that are delivered with it, because their objects refer to each other. */
  readonly with: readonly string[];
  readonly phase: StagedRollout["phase"] | "finished" | "withdrawn";
  /** Waves so far. */
  readonly wave: number;
  /** The waves, as their author wrote them, and `100%`. */
  readonly waves: readonly string[];
  readonly objects: readonly ShownObject[];
  /** Connected proxies that have the change and others do not have yet. */
  readonly proxies: number;
  /** How many of them have accepted it. */
  readonly accepted: number;
  /** Proxies of the wave without an answer: the first ten. */
  readonly missing: readonly string[];
  /** The last answer of the gate; empty without a gate. */
  readonly gate: string;
  /** The reason of a halt. */
  readonly reason: string;
  readonly since: string;
  readonly events: readonly (Omit<RolloutEvent, "at"> & { readonly at: string })[];
}

interface ShownObject {
  readonly object: ConfigId;
  readonly change: "created" | "updated" | "deleted";
  /** `file:line` of the new version, or of the deleted one. */
  readonly reference: string;
  /** True if it does not ask for waves, and is delivered with objects that refer to it. */
  readonly joined: boolean;
}

/** The content of the page. */
export interface RolloutsPage {
  readonly rollouts: readonly ShownRollout[];
  /** The last rollouts that ended, the newest first. */
  readonly ended: readonly ShownRollout[];
}

/** The rollouts of a server, and what an operator may do with them. */
export interface OperatedRollouts extends Pick<StagedRollouts, "rollouts" | "ended" | "command"> {
  readonly progressOf: (rollout: StagedRollout) => ShownProgress | undefined;
  readonly reachedBy: (rollout: StagedRollout) => { readonly length: number };
}

interface ShownProgress {
  readonly accepted: number;
  readonly missing: readonly string[];
  readonly gate: { readonly answer: GateAnswer } | undefined;
}

/** The longest name or reason of an operator. */
const maxWords = 200;

type RolloutsState = Pick<PilotState, "timeOf">;

/** Staged changes, and commands for operators. */
export function rolloutsPage(state: RolloutsState, rollouts: OperatedRollouts | undefined): Route {
  const page = (namespace?: string) => json(rolloutsIn(state, rollouts, namespace));
  return {
    path: "/debug/rollouts",
    doc:
      "changes that reach proxies in waves: phase, wave, proxies, objects and events; " +
      "POST command=pause|resume|abort|promote&rollout=NAMESPACE/NAME&by=USER&reason=TEXT",
    answer: () => page(),
    answerWithin: page,
    change: {
      method: "POST",
      async apply(body) {
        const asked = new URLSearchParams(body.trim());
        const command = rolloutCommands.find((known) => known === asked.get("command"));
        if (command === undefined) return text(`expected command=${rolloutCommands.join(" or command=")}`, 400);
        const id = asked.get("rollout");
        if (id === null) return text("missing parameter: rollout=NAMESPACE/NAME", 400);
        if (rollouts?.command(command, id, orderIn(asked)) === true) return page();
        const known = rollouts?.rollouts.find(({ change }) => change.id === id);
        if (known !== undefined) return text(`${id} is ${known.phase}: it cannot ${command}`, 409);
        const near = didYouMean(id, rollouts?.rollouts.map(({ change }) => change.id) ?? []);
        return text(`no rollout ${id}${near === undefined ? "" : `; did you mean ${near}?`}`, 404);
      },
    },
  };
}

/** The operator who commands, and the reason in the operator's words. */
function orderIn(asked: URLSearchParams): Partial<Told> {
  const [by, reason] = ["by", "reason"].map((name) =>
    cutText((asked.get(name) ?? "").replace(/\s+/gu, " ").trim(), maxWords),
  );
  return { ...(by && { by }), ...(reason && { reason }) };
}

/** The rollouts of a server, or of one namespace. */
export function rolloutsIn(
  state: RolloutsState,
  rollouts: OperatedRollouts | undefined,
  namespace: string | undefined,
): RolloutsPage {
  const isShown = ({ change }: StagedRollout) => namespace === undefined || change.id.startsWith(`${namespace}/`);
  const shown = (each: StagedRollout) => shownRollout(state, each, rollouts, namespace !== undefined);
  return {
    rollouts: (rollouts?.rollouts ?? []).filter(isShown).map(shown),
    ended: (rollouts?.ended ?? []).filter(isShown).map(shown).toReversed(),
  };
}

function shownRollout(
  { timeOf }: RolloutsState,
  rollout: StagedRollout,
  all: OperatedRollouts | undefined,
  isLimited: boolean,
): ShownRollout {
  const { change, phase, wave, since, events } = rollout;
  const progress = all?.progressOf(rollout);
  const end = events.at(-1)?.type;
  return {
    rollout: change.id,
    with: isLimited ? [] : change.merged,
    phase: end === "finished" || end === "withdrawn" ? end : phase,
    wave,
    waves: waveTexts(rollout),
    objects: Array.from(change.objects.values(), shownObject),
    proxies: end === "finished" || end === "withdrawn" ? 0 : (all?.reachedBy(rollout).length ?? 0),
    accepted: progress?.accepted ?? 0,
    // Nodes of other namespaces are nobody's business.
    missing: isLimited ? [] : (progress?.missing.slice(0, 10) ?? []),
    gate: progress?.gate === undefined ? "" : gateText(progress.gate.answer),
    reason: isLimited ? withoutNodes(rollout.reason) : rollout.reason,
    since: timeOf(since).toISOString(),
    events: events.map(({ at, by, reason, ...event }) => ({
      ...event,
      // Sources, operators and proxies of other namespaces are nobody's business.
      by: isLimited ? "" : by,
      reason: isLimited ? withoutNodes(reason) : reason,
      at: timeOf(at).toISOString(),
    })),
  };
}

/** The text for viewers who may not know the proxies of other namespaces. */
export function withoutNodes(words: string): string {
  return words.replace(/\S*~\S+/gu, "a proxy");
}

function shownObject({ id, stable, next, joined }: StagedObject): ShownObject {
  const change = stable === undefined ? "created" : next === undefined ? "deleted" : "updated";
  return { object: id, change, reference: (next ?? stable)?.origin.reference ?? "", joined };
}
