import { kindsOfMixer } from "../kinds.ts";
import type { KindEffects } from "./effect-table.ts";

const whole = { reason: "only Mixer read it, and proxies no longer call Mixer" };

/** Kinds without any effect. They are kept, sent over MCP and analysed like other kinds. */
export const wholeKinds: readonly KindEffects[] = kindsOfMixer.map((kind) => ({ kind, whole }));
