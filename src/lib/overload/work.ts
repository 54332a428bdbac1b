import type { LoadLevel } from "./pressure.ts";

/**
 * The classes of work, from the last to be shed to the first. A late removal or policy harms traffic: requests go to
 * dead endpoints or reach a workload that they must not reach. A proxy whose stream is refused continues with its
 * configuration. No traffic depends on status and pages.
 */
export const works = ["removals", "security", "configuration", "streams", "pages", "status"] as const;
export type Work = (typeof works)[number];

/** How fast a class of work runs. */
export type Pace = "usual" | "slower" | "slowest" | "refused";

const paces: Readonly<Record<Work, Readonly<Record<LoadLevel, Pace>>>> = {
  removals: { normal: "usual", elevated: "usual", high: "usual", critical: "usual" },
  security: { normal: "usual", elevated: "usual", high: "usual", critical: "usual" },
  configuration: { normal: "usual", elevated: "usual", high: "slower", critical: "slowest" },
  streams: { normal: "usual", elevated: "slower", high: "refused", critical: "refused" },
  pages: { normal: "usual", elevated: "slower", high: "refused", critical: "refused" },
  status: { normal: "usual", elevated: "slower", high: "slowest", critical: "slowest" },
};

export function paceOf(work: Work, level: LoadLevel): Pace {
  return paces[work][level];
}
