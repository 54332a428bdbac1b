import type { AnalysisPageState } from "../../admin/galley/analysis.ts";
import type { OperatedRollouts } from "../../admin/pilot/rollouts-page.ts";
import type { GalleyState, PilotState } from "../../admin/state.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import type { GateAnswer } from "../explain/what-if-gate.ts";
import type { WhatIfMesh } from "../explain/what-if-mesh.ts";
import type { Journal } from "../journal/journal.ts";
import type { ControlPlaneState } from "./control-plane-state.ts";
import type { DeskHistory } from "./desk-history.ts";
import type { ServerFacts } from "./model/session.ts";

/** The data of the desk, from the composition root. The members are functions, so that answers are current. */
export interface DeskState extends PilotState, Pick<GalleyState, "configs" | "sources" | "clashes"> {
  readonly journal: Journal;
  readonly server: ServerFacts;
  /** Issues of validation, results of the analysis, and findings about the running server. */
  readonly findings: AnalysisPageState;
  /** The process itself. */
  readonly controlPlane: ControlPlaneState;
  /** The objects of users, as the sources have them. */
  readonly objects: Pick<Processor, "united" | "definitionsOf">;
  /** The current text of a file in which a source of files has found issues; undefined for other places. */
  readonly newestText: (file: string) => Promise<string | undefined>;
  /** Staged changes; undefined if the server stages none. */
  readonly rollouts: OperatedRollouts | undefined;
  readonly whatIf: WhatIfPart;
  /** Undefined if the server keeps no history. */
  readonly history: DeskHistory | undefined;
  /** A pause for other work; awaited between the steps of long work. */
  readonly turn: () => Promise<void>;
  readonly now: () => Date;
}

/** Everything that questions about edited objects need. */
interface WhatIfPart {
  readonly mesh: Pick<WhatIfMesh, "with" | "contexts" | "trialsFor" | "discovery" | "currentOf" | "inputNameOf">;
  readonly enter: () => GateAnswer;
}
