import { type JudgedResource, judgedBootstrap } from "./judged-bootstrap.ts";

/** The judgement of a real Envoy on a bootstrap. `unknown`: it was not asked, because a limit was reached. */
export type Verdict =
  | { readonly type: "accepted" }
  | { readonly type: "refused"; readonly words: string }
  | { readonly type: "unknown" };

export type AskEnvoy = (bootstrap: Uint8Array) => Promise<Verdict>;

export interface RefusedResource extends JudgedResource {
  /** Envoy's own. */
  readonly words: string;
}

export interface Judgement {
  readonly refused: readonly RefusedResource[];
  /** False if there may be more. */
  readonly complete: boolean;
}

/** Further refusals mostly have an object that is known already. */
const mostRefused = 5;

/**
 * Finds the resources that an Envoy refuses. Envoy names none and stops at the first, so the shortest part of the list
 * that it refuses is searched for; its last resource is left out after that. Each resource stands after those that it
 * refers to, so a longer part is refused, too.
 */
export async function findRefused(
  node: string,
  resources: readonly JudgedResource[],
  ask: AskEnvoy,
): Promise<Judgement> {
  const refused: RefusedResource[] = [];
  let left = resources;
  while (refused.length < mostRefused) {
    let verdict = await ask(judgedBootstrap(node, left));
    if (verdict.type === "accepted") return { refused, complete: true };
    let [accepted, rejected] = [0, left.length];
    while (verdict.type === "refused" && rejected - accepted > 1) {
      const middle = Math.floor((accepted + rejected) / 2);
      const part = await ask(judgedBootstrap(node, left.slice(0, middle)));
      if (part.type === "accepted") accepted = middle;
      else [rejected, verdict] = [middle, part];
    }
    const culprit = left[rejected - 1];
    if (verdict.type !== "refused" || culprit === undefined) return { refused, complete: false };
    refused.push({ ...culprit, words: verdict.words });
    left = left.toSpliced(rejected - 1, 1);
  }
  return { refused, complete: false };
}
