import type { AnalysisPageState } from "../../admin/galley/analysis.ts";
import type { GalleyState, PilotState } from "../../admin/state.ts";
import type { Journal } from "../journal/journal.ts";
import type { ServerFacts } from "./model/session.ts";

/** The data of the desk, from the composition root. The members are functions, so that answers are current. */
export interface DeskState extends PilotState, Pick<GalleyState, "configs" | "sources" | "clashes"> {
  readonly journal: Journal;
  readonly server: ServerFacts;
  /** Issues of validation, results of the analysis, and findings about the running server. */
  readonly findings: AnalysisPageState;
  readonly now: () => Date;
}
