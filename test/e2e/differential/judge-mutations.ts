import type { Random } from "../../../src/testing/random/random.ts";
import { type Judged, judged } from "./compare-verdicts.ts";
import { judgeWithIstioctl } from "./judge-istioctl.ts";
import { mutatedDocuments } from "./mutated-documents.ts";
import { originals } from "./originals.ts";

/** Asks istioctl and our own validation about mutations of valid objects. */
export async function judgeMutations(istioctl: string, count: number, random: Random): Promise<readonly Judged[]> {
  const documents = mutatedDocuments(count, originals, random);
  return judged(documents, await judgeWithIstioctl(istioctl, documents));
}
